//! EPP templates.

use super::Writer;

impl Writer {
    pub(super) fn template(&mut self) {
        if self.chance(30) {
            self.template_parameters();
        }
        for _ in 0..self.random.between(0, 8) {
            self.template_piece();
        }
    }

    fn template_parameters(&mut self) {
        self.put_or(&["<%-", "<%", "<%- "], &[" <%-", "x<%"]);
        self.put_one(&[" |", "|", " | "]);
        self.parameter_list();
        self.put_one(&["| ", "|", " |"]);
        self.close();
    }

    fn close(&mut self) {
        self.put_one(&["%>", " %>", "-%>", " -%>", " -%>\n", "%>\n", " -%>  \r\n"]);
    }

    fn template_piece(&mut self) {
        match self.random.below(20) {
            0..=5 => self.put_one(&[
                "text", "\n", "  ", " é ", "a <b> c", "$x ${y}", "\r\n", "%", "#", "😀",
            ]),
            6..=11 => {
                self.put_one(&["<%=", "<%= ", "<%=\n"]);
                self.expression();
                self.close();
            }
            12..=14 => self.template_block(),
            15 => self.put_one(&[
                "<%# comment %>",
                "<%#- x -%> \n",
                "<%#%>",
                "<%# a %%> b %>",
                "  <%#-%>\n",
            ]),
            16 => {
                self.put_one(&["<%%", "%%>", "<%% x %%>", "%>", "<%%=", "<%-%>", "<% %>", "<%%>"])
            }
            17 => {
                self.put_one(&["<%", "<%-", " <%- "]);
                self.put(" ");
                self.statement();
                self.close();
            }
            18 => self.put_or(
                &["<%= {a => 1} %>"],
                &["<%= { $a } %>", "<%= { notice(1) 2 } %>", "<%= %>"],
            ),
            _ => self.put_or(&["<%= $a -%>", "<%=$a%>"], &["<%= $a # c %>", "<% # c\n %>", "<%"]),
        }
    }

    fn template_block(&mut self) {
        self.put_one(&["<% ", "<%- "]);
        match self.random.below(3) {
            0 => {
                self.variable();
                self.put(".each |$x| {");
            }
            1 => {
                self.put("if ");
                self.expression();
                self.put(" {");
            }
            _ => {
                self.put("unless ");
                self.variable();
                self.put(" {");
            }
        }
        self.close();
        for _ in 0..self.random.below(3) {
            self.deeper(|writer| {
                if !writer.is_deep() {
                    writer.template_piece();
                }
            });
        }
        self.put_one(&["<% } %>", "<%- } -%>", "<% } else { %>x<% } %>", "<%-}-%>"]);
    }
}
