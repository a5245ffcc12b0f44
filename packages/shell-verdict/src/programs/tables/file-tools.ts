import type { ProgramTable } from '../spec.ts'

/** Tools that make, move, copy, change and remove files. */
export const FILE_TOOLS: ProgramTable = {
  'mv gmv': {
    kind: 'write',
    args: 'copy',
    deletes: true,
    flags:
      '-f|--force -i|--interactive -n|--no-clobber -v|--verbose -t|--target-directory=:write -T|--no-target-directory -u|--update? -b -S|--suffix= --backup? -Z --strip-trailing-slashes -h',
  },
  'cp gcp': {
    kind: 'write',
    args: 'copy',
    flags:
      '-a|--archive -f|--force -i|--interactive -n|--no-clobber -r|-R|--recursive -p --preserve? --no-preserve= -v|--verbose -t|--target-directory=:write -T|--no-target-directory -u|--update? -l|--link -s|--symbolic-link -L|--dereference -P|--no-dereference -H -d -x|--one-file-system -b --backup? -S|--suffix= --reflink? --sparse= -c -X --parents --attributes-only --remove-destination',
  },
  'rm grm': {
    kind: 'write',
    args: 'write',
    deletes: true,
    flags:
      '-f|--force -i -I --interactive? -r|-R|--recursive -d|--dir -v|--verbose -x --one-file-system --preserve-root? --no-preserve-root!destroy -P -W',
  },
  'rmdir grmdir unlink': {
    kind: 'write',
    args: 'write',
    deletes: true,
    flags: '-p|--parents -v|--verbose --ignore-fail-on-non-empty',
  },
  'mkdir gmkdir': {
    kind: 'write',
    args: 'write',
    flags: '-p|--parents -v|--verbose -m|--mode= -Z --context?',
  },
  'touch gtouch': {
    kind: 'write',
    args: 'write',
    flags: '-a -c|--no-create -d|--date= -f -h|--no-dereference -m -r|--reference= -t= -A= --time=',
  },
  'ln gln': {
    kind: 'write',
    check: 'ln',
    args: 'write',
    flags:
      '-s|--symbolic -f|--force -n|--no-dereference -v|--verbose -r|--relative -T -t=:write -i -b -S= -h -F -L -P',
  },
  'chmod gchmod chown gchown chgrp': {
    kind: 'write',
    args: ['text', 'write'],
    flags:
      '-R|--recursive -v|--verbose -c|--changes -f|--silent|--quiet --reference= -h -H -L -P --preserve-root --no-preserve-root --from=',
  },
  'tee gtee': {
    kind: 'write',
    args: 'write',
    flags: '-a|--append -i|--ignore-interrupts -p --output-error?',
  },
  'truncate gtruncate': {
    kind: 'write',
    args: 'write',
    flags: '-s|--size= -c|--no-create -r|--reference= -o|--io-blocks',
  },
  'install ginstall': {
    kind: 'write',
    args: 'copy',
    flags:
      '--strip-program=!exec -m|--mode= -o|--owner= -g|--group= -S|--suffix= -t|--target-directory=:write',
  },
  'dd gdd': { kind: 'write', check: 'dd' },
  'shred wipe srm': { kind: 'destroy', args: 'write', deletes: true },
  'mkfs mkfs.ext4 mkfs.xfs mkfs.vfat mkswap wipefs fdisk sfdisk parted gdisk sgdisk': {
    kind: 'destroy',
  },
  'zfs zpool': {
    kind: 'system',
    sub: {
      'list get status': { kind: 'read', flags: '-H -o= -t= -r -d= -p -v -s= -x -P -L' },
      destroy: 'destroy',
    },
  },
  'lvremove vgremove pvremove': 'destroy',
  rsync: { kind: 'write' },
  patch: {
    kind: 'write',
    flags:
      '-p|--strip= -i|--input=:read -R|--reverse -N|--forward -s|--silent -f|--force -t|--batch -d|--directory=:write --dry-run -E -u -l',
    args: 'write',
  },
  'apply_patch applypatch apply-patch': { kind: 'write', flagless: true, check: 'apply-patch' },
  'mkfifo mknod': { kind: 'write', args: 'write' },
}
