# samples/
