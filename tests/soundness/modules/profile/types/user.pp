type Profile::User = Struct[{ uid => Integer, Optional[shell] => Profile::Shell }]
