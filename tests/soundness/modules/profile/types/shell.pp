type Profile::Shell = Enum['/bin/sh', '/bin/bash']
