# A program that people get when they log in.
type Accounts::Shell = Pattern[/\A(\/usr)?\/bin\/(ba|z|da|fi)?sh\z/, /\A\/usr\/sbin\/nologin\z/]
