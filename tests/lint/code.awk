# code.awk - C without what is no code: comments and the insides of literals become spaces.
#
# Lines stay where they are, so that a finding's number is right. With every input line,
# "FILE:LINE:" is printed first, in grep's manner. Directives keep their file names.
FNR == 1 { in_comment = 0 }
{
    line = $0
    out = ""
    is_include = line ~ /^[ \t]*#[ \t]*include/
    n = length(line)
    for (i = 1; i <= n; i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; i++; out = out "  " } else out = out " "
        } else if (two == "/*") {
            in_comment = 1; i++; out = out "  "
        } else if (two == "//") {
            break
        } else if ((c == "\"" && !is_include) || c == "'") {
            quote = c
            out = out c
            for (i++; i <= n && substr(line, i, 1) != quote; i++) {
                if (substr(line, i, 1) == "\\") { i++; out = out " " }
                out = out " "
            }
            out = out quote
        } else {
            out = out c
        }
    }
    print FILENAME ":" FNR ":" out
}
