// The C side of every_name.f: a procedure that is passed here can't be left out.
// part: yes
static void (*volatile last)(void);
static int count;

void keep_(void (*procedure)(void))
{
    if (procedure)
        count++;
    last = procedure;
}
int kept_(void)
{
    return count;
}
