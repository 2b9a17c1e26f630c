class broken {
