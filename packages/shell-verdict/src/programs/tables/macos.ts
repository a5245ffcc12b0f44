import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', single: true } as const

/** macOS tools: those that print settings and states; those that set them are left to a person. */
export const MACOS: ProgramTable = {
  defaults: {
    single: true,
    globals: '-currentHost -host= -app=',
    sub: { 'read read-type domains find help': READ, 'write delete rename import': 'system' },
  },
  diskutil: {
    sub: {
      'list info activity listFilesystems listfilesystems': {
        kind: 'read',
        single: true,
        flags: '-plist -all --all',
      },
      'mount unmount mountDisk unmountDisk eject rename renameVolume eraseDisk eraseVolume partitionDisk repairDisk repairVolume verifyDisk verifyVolume':
        'system',
    },
  },
  launchctl: {
    sub: {
      'list print print-cache print-disabled plist procinfo hostinfo dumpstate dumpjpcategory managerpid manageruid managername error variant version help blame getenv':
        { kind: 'read' },
      'bootstrap bootout enable disable kickstart kill start stop load unload remove submit setenv unsetenv attach bsexec asuser reboot config':
        'system',
    },
  },
  lipo: {
    kind: 'write',
    single: true,
    flags:
      '-info -archs -detailed_info -verify_arch -output=:write -create -thin= -extract= -remove= -replace= -extract_family=',
    check: 'lipo',
  },
  codesign: {
    kind: 'write',
    flags:
      '-v|--verify -d|--display --validate-constraint -s|--sign=!write -f|--force!write --remove-signature!write --extract-certificates?!write --entitlements=!write --file-list=:write -h --deep --strict? -R= --prefix? -vv -vvv -vvvv -dv -dvv -dvvv --requirements= -r= --all-architectures -a|--architecture= --verbose? --bundle-version= --ignore-resources --check-notarization',
    check: 'codesign',
  },
  mdimport: {
    kind: 'write',
    single: true,
    flags: '-t -d1 -d2 -d3 -d4 -X -L -A -n= -o=:write -r!write -i!write -g= -p -m= -u=',
    check: 'mdimport',
  },
  networksetup: {
    kind: 'unlisted',
    single: true,
    check: 'list-only',
    flags: '-list* -get* -show* -is* -print* -version -help',
  },
  open: { kind: 'exec', flags: '-R|--reveal', check: 'list-only' },
  pkgutil: {
    kind: 'unlisted',
    flags:
      '--pkgs? --packages --pkgs-plist --pkg-info= --pkg-info-plist= --files= --lsbom= --file-info= --file-info-plist= --pkg-groups= --groups --groups-plist --group-pkgs= --export-plist= --check-signature= --payload-files= --volume= --regexp --only-files --only-dirs -v|--verbose -f -h|--help --verify= --forget=!system --learn=!system --edit-pkg=!system --expand=!write --expand-full=!write --flatten=!write --flatten-full=!write --bom=!write --repair=!system --discard=!system --unlink=!system',
    check: 'list-only',
  },
  plutil: {
    kind: 'write',
    single: true,
    flags:
      '-p -lint -help -extract= -type= -convert=!write -insert=!write -replace=!write -remove=!write -create=!write -o=:write -e= -s -r -n -expect=',
    check: 'plutil',
  },
  profiles: {
    single: true,
    sub: {
      'list show status validate version help': {
        kind: 'read',
        single: true,
        flags: '-all -type= -user= -path=:read -verbose -output=:write -cached',
      },
      'install remove sync renew': 'system',
    },
  },
  qlmanage: {
    kind: 'unlisted',
    single: true,
    flags: '-m -h -p=!no -t=!no -o=:write -r!system',
    check: 'list-only',
  },
  sample: {
    kind: 'read',
    single: true,
    flags: '-wait -mayDie -fullPaths -e -subst= -file=:write',
    args: 'text',
  },
  say: {
    kind: 'read',
    flags: '-o|--output-file=:write -f|--input-file=:read -v|--voice= -r|--rate= -n= --network-send=!remote',
  },
  scutil: {
    kind: 'unlisted',
    single: true,
    flags:
      '--get= --dns --proxy -r= --nwi -w= -t= -W --nc=!system --set=!system --prefs?!system --renew=!system',
    check: 'list-only',
  },
  security: {
    globals: '-h -i -l -p= -q -v',
    sub: {
      'help show-keychain-info find-key find-certificate find-identity get-identity-preference dump-trust-settings verify-cert error list-smartcards translocate-status-check requirement-evaluate translocate-policy-check translocate-original-path':
        { kind: 'read', flags: '-a -c= -e= -m -p? -Z -s= -t= -u= -v -d -i -l= -L -q -n -k= -r= -f= -j= -w=' },
      'find-generic-password find-internet-password': {
        kind: 'read',
        flags: '-w!credential -g!credential -a= -c= -C= -D= -G= -j= -l= -s= -d= -P= -p= -r= -t=',
      },
      'list-keychains default-keychain login-keychain create-keychain delete-keychain lock-keychain unlock-keychain set-keychain-settings set-keychain-password create-keypair add-generic-password add-internet-password add-certificates add-trusted-cert delete-generic-password delete-internet-password delete-certificate delete-identity set-identity-preference set-key-partition-list import export cms install-mds remove-trusted-cert trust-settings-import trust-settings-export user-trust-settings-enable authorize authorizationdb execute-with-privileges smartcards create-filevaultmaster-keychain dump-keychain':
        'system',
    },
  },
  sips: {
    kind: 'unlisted',
    flags:
      '-g|--getProperty= --verify -1|--oneLine -h|--help -H|--helpProperties -s|--setProperty=!write -d|--deleteProperty=!write -o|--out=:write -z!write -Z!write -c!write -r!write -f!write -e!write -E!write -x!write -i!write -X!write -m!write -M!write -p!write --resampleHeightWidth!write --extractProfile!write --embedProfile!write -j!exec --js!exec',
    check: 'list-only',
  },
  spctl: {
    kind: 'unlisted',
    flags:
      '-a|--assess --status --disable-status -t|--type= -v|--verbose --list --raw --continue --ignore-cache --no-cache --add!system --remove!system --enable!system --disable!system --global-enable!system --global-disable!system --master-enable!system --master-disable!system --reset-default!system --label= --kext!system',
    check: 'list-only',
  },
  symbols: {
    kind: 'read',
    single: true,
    flags:
      '-saveSignature=!write -symbolsPackageDir=!write -o=:write -w -arch= -lookup= -noHeaders -printSignature -uuid -v -noSources -noRegions -fullSourcePath -onlyNList -noDemangling -noTextSections -section= -sym= -pid= -h -help',
  },
  textutil: {
    kind: 'unlisted',
    single: true,
    flags: '-help --help -info -convert=!write -cat=!write -output=:write -stdout',
    check: 'list-only',
  },
  tmutil: {
    sub: {
      'help version destinationinfo latestbackup listbackups machinedirectory uniquesize verifychecksums calculatedrift compare isexcluded status listlocalsnapshots listlocalsnapshotdates currentphase':
        { kind: 'read', flags: '-X -m -t -d= -a -n -s -u -e -g -E -@ -I=' },
      'enable disable startbackup stopbackup setdestination removedestination setquota addexclusion removeexclusion delete deletelocalsnapshots localsnapshot snapshot thinlocalsnapshots restore inheritbackup associatedisk':
        'system',
    },
  },
  xattr: { kind: 'read', flags: '-l -x -p -r -s -v -h -w!write -d!write -c!write', args: 'text' },
  dscl: {
    kind: 'system',
    single: true,
    check: 'dscl',
    flags: '-plist -raw -url -q -read -readall -readpl -readpli -list -search -cat -diff',
  },
  hdiutil: {
    sub: {
      'help info verify checksum imageinfo isencrypted pmap plugins -help': {
        kind: 'read',
        single: true,
        args: 'read',
        flags:
          '-plist -verbose -quiet -debug -type= -format= -stdinpass -nostdinpass -shadow=!no -encryption -cacert= -insecurehttp -srcimagekey= -complete -diskimage -endoffsets -uninserted',
      },
      'attach detach mount unmount mountvol create convert burn makehybrid chpass segment resize compact erasekeys eject flatten unflatten udifrez udifderez':
        'system',
    },
  },
  'sw_vers system_profiler ioreg vm_stat kextstat heap vmmap footprint': {
    kind: 'read',
    single: true,
    flags:
      '-productName -productVersion -buildVersion --productName --productVersion --buildVersion -xml -json -listDataTypes -detailLevel= -timeout= -l -r -c= -n= -w= -p= -a -b -d= -f -i -k= -x -t -S -s -h -wide -summary -interleaved -resident -dirty -v -verbose -guessNonObjects -sumObjectFields -showSizes -addresses= -noContent -sortBySize -zones -pid= -all -by',
  },
  pmset: { single: true, kind: 'system', check: 'pmset', flags: '-g' },
  xcrun: { kind: 'exec', posix: true },
  'xcode-select': { kind: 'system', flags: '-p|--print-path -v|--version -h|--help', check: 'list-only' },
  pbpaste: 'credential',
  pbcopy: 'write',
  'osascript automator shortcuts': 'exec',
  softwareupdate: { kind: 'system', flags: '-l|--list --history -h', check: 'list-only' },
}
