/* test_outfile.c - an output is whole or not there, and never an input. */
#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapping.h"
#include "base/outfile.h"
#include "tap.h"

static char path[512];

/* Linked with --wrap=fsync,--wrap=rename: what was done to reach the disk, in order. f: a file was synced, d: a folder, r: a
 * file got another name. */
static char acts[16];

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

static void note_act(char act)
{
    size_t used = strlen(acts);
    if (used + 1 < sizeof acts)
        acts[used] = act;
}

int __wrap_fsync(int fd)
{
    struct stat about;
    note_act(fstat(fd, &about) == 0 && S_ISDIR(about.st_mode) ? 'd' : 'f');
    return __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    note_act('r');
    return __real_rename(from, to);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *folder = opendir(tap_folder());
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void expect_content(const char *wanted, const char *claim)
{
    char content[256] = "";
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(content, 1, sizeof content - 1, f) : 0;
    if (f)
        fclose(f);
    content[size] = '\0';
    is_string(content, wanted, "%s", claim);
}

static void test_whole(void)
{
    struct outfile o;
    struct error e;
    is_int(outfile_open(&o, path, &e), STATUS_OK, "an output is opened");
    outfile_print(&o, "%d %.2f\n", 1, 0.5);
    outfile_write(&o, "a\0b", 3);
    is_int(access(path, F_OK), -1, "there is nothing under its name yet");
    memset(acts, 0, sizeof acts);
    is_int(outfile_commit(&o, &e), STATUS_OK, "it is committed");
    is_string(acts, "frd", "its bytes reach the disk before it gets its name, and then the name does");
    expect_content("1 0.50\na", "and holds what was written");
    is_int(outfile_open(&o, path, &e), STATUS_OK, "another one is opened over it");
    outfile_print(&o, "new");
    outfile_abandon(&o);
    expect_content("1 0.50\na", "abandoned, the old one stays");
    is_int(outfile_open(&o, path, &e), STATUS_OK, "and a third");
    outfile_print(&o, "new");
    is_int(outfile_commit(&o, &e), STATUS_OK, "it is committed");
    expect_content("new", "and replaces the old one");
    outfile_abandon(&o);
    is_int(files_in_folder(), 1, "no other file is left");
    is_int(outfile_probe(path, &e), STATUS_OK, "a place that may be written is found so");
    expect_content("new", "which changes nothing");
    is_int(files_in_folder(), 1, "and leaves nothing");
}

static void test_full_disk(void)
{
    struct outfile o;
    struct error e;
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    for (int lines = 10; lines <= 10000; lines *= 1000) { /* found at the end, and on the way */
        is_int(outfile_open(&o, path, &e), STATUS_OK, "an output of %d lines is opened", lines);
        setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 0; i < lines; i++)
            outfile_print(&o, "a line of text, %d\n", i);
        is_int(outfile_commit(&o, &e), STATUS_OUTPUT, "a full disk is noticed");
        setrlimit(RLIMIT_FSIZE, &old);
        ok(strstr(e.sentence, "can't be written: File too large") != NULL, "with its reason");
        is_string(e.file, path, "and the file's name");
        expect_content("new", "the old file stays");
        is_int(files_in_folder(), 1, "the new one is gone");
    }
}

static void refused(const char *where, const char *sentence)
{
    struct outfile o;
    struct error e;
    is_int(outfile_probe(where, &e), STATUS_OUTPUT, "the probe refuses '%.40s'", where);
    is_string(e.sentence, sentence, "and says why");
    ok(e.advice[0] != '\0', "and what to do");
    is_int(outfile_open(&o, where, &e), STATUS_OUTPUT, "so does opening");
    is_string(e.sentence, sentence, "with the same words");
    is_string(e.file, where, "for the file as it was given");
    ok(!o.path && !o.stream && !o.temporary, "nothing is open");
}

static void test_places(void)
{
    char where[1024];
    snprintf(where, sizeof where, "%s/none/x.csv", tap_folder());
    refused(where, "can't be written: No such file or directory");
    snprintf(where, sizeof where, "%s/x.csv", path);
    refused(where, "can't be written: Not a directory");
    snprintf(where, sizeof where, "%s/none/", tap_folder());
    refused(where, "can't be written: Is a directory");
    refused(tap_folder(), "can't be written: Is a directory");
    refused("", "can't be written: No such file or directory");
    memset(where, 0, sizeof where);
    snprintf(where, sizeof where, "%s/", tap_folder());
    memset(where + strlen(where), 'x', 255);
    refused(where, "can't be written: File name too long");
    snprintf(where, sizeof where, "%s/closed", tap_folder());
    mkdir(where, 0500);
    strncat(where, "/x.csv", sizeof where - strlen(where) - 1);
    bool is_root = geteuid() == 0; /* who may write everywhere: be somebody else for a while */
    if (is_root && seteuid(65534) != 0) {
        skip(7, "root can't be anybody else here");
        return;
    }
    refused(where, "can't be written: Permission denied");
    if (is_root && seteuid(0) != 0)
        bail("can't be root again");
}

static void test_devices(void)
{
    struct outfile o;
    struct error e;
    struct stat about;
    is_int(outfile_probe("/dev/null", &e), STATUS_OK, "a device may be written");
    is_int(outfile_open(&o, "/dev/null", &e), STATUS_OK, "and is opened");
    outfile_print(&o, "gone");
    is_int(outfile_commit(&o, &e), STATUS_OK, "and committed");
    ok(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode), "and is a device still");
    if (stat("/dev/full", &about) != 0) {
        skip(2, "no /dev/full");
        return;
    }
    is_int(outfile_open(&o, "/dev/full", &e), STATUS_OK, "a full device is opened");
    outfile_print(&o, "too much");
    is_int(outfile_commit(&o, &e), STATUS_OUTPUT, "and its failure noticed");
}

static void test_input(void)
{
    struct mapping m;
    struct error e;
    char link_name[600];
    is_int(mapping_open(&m, path, &e), STATUS_OK, "an input is mapped");
    ok(outfile_is_input(path, m.device, m.inode), "the same name is the input");
    snprintf(link_name, sizeof link_name, "%s.link", path);
    ok(symlink(path, link_name) == 0 && outfile_is_input(link_name, m.device, m.inode), "so is a symbolic link to it");
    unlink(link_name);
    ok(link(path, link_name) == 0 && outfile_is_input(link_name, m.device, m.inode), "so is a hard link");
    unlink(link_name);
    ok(!outfile_is_input(link_name, m.device, m.inode), "what isn't there is no input");
    ok(!outfile_is_input(tap_folder(), m.device, m.inode), "nor is another file");
    mapping_close(&m);
}

static void put(const char *name)
{
    FILE *f = fopen(name, "wb");
    if (!f)
        bail("can't write %s", name);
    fclose(f);
}

static void test_sweep(void)
{
    static const char *const left[] = {".part-123-0", ".part-4-17"};
    static const char *const others[] = {".part-1-0.txt", ".part-x-0", ".part-12", ".bak"};
    char name[600];
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        snprintf(name, sizeof name, "%s%s", path, left[i]);
        put(name);
    }
    int before = files_in_folder();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(name, sizeof name, "%s%s", path, others[i]);
        put(name);
    }
    outfile_sweep(path);
    is_int(files_in_folder(), before + (int)(sizeof others / sizeof *others - sizeof left / sizeof *left),
           "what a killed process has left goes, and nothing else");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(name, sizeof name, "%s%s", path, others[i]);
        ok(unlink(name) == 0, "out.csv%s stays", others[i]);
    }
}

static void test_locale(void)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8", "es_ES.UTF-8"};
    const char *found = NULL;
    struct outfile o;
    struct error e;
    for (size_t i = 0; i < sizeof commas / sizeof commas[0] && !found; i++)
        found = setlocale(LC_ALL, commas[i]);
    if (!found) { /* most machines have the sources of all */
        char command[sizeof path + 64];
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", tap_folder());
        setenv("LOCPATH", tap_folder(), 1);
        found = system(command) == 0 ? setlocale(LC_ALL, "de_DE.UTF-8") : NULL;
    }
    if (!found) {
        skip(2, "no locale with decimal commas is installed");
        return;
    }
    is_int(outfile_open(&o, path, &e), STATUS_OK, "in %s", found);
    outfile_print(&o, "%.1f", 0.5);
    if (outfile_commit(&o, &e) != STATUS_OK)
        bail("can't write");
    expect_content("0.5", "numbers have a decimal point");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    snprintf(path, sizeof path, "%s/out.csv", tap_folder());
    test_whole();
    test_full_disk();
    test_places();
    test_devices();
    test_input();
    test_sweep();
    test_locale();
    return tap_done();
}
