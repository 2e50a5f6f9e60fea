// A member of an object that is not there.
// ranks: 1
// cc: -g -O1
// exit: 134
// stderr: rank 0 trapped: a null pointer was used: an access at address 0x28
// stderr: null_pointer_member.cpp:12
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
