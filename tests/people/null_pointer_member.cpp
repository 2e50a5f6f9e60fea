// A member of an object that is not there.
// ranks: 1
// run: --null-page
// cc: -g -O1
// exit: 134
// stderr: rank 0 trapped: a null pointer was used: an access at address 0x28
// stderr: null_pointer_member.cpp:13
struct Mesh {
    int cells[10];
    int count;
    __attribute__((noinline)) int size() const
    {
        return count;
    }
};

static Mesh *volatile mesh;

int main()
{
    return mesh->size();
}
