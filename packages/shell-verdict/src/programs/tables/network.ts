import type { ProgramTable } from '../spec.ts'

/** Network tools: asking is reading; sending data, saving elsewhere or configuring is not. */
export const NETWORK: ProgramTable = {
  curl: {
    kind: 'read',
    known: true,
    args: 'url',
    flags: `-X|--request= -I|--head -o|--output=:write -O|--remote-name --remote-name-all -J|--remote-header-name -D|--dump-header=:write --stderr=:write -v|--verbose -s|--silent -S|--show-error -#|--progress-bar
      --no-progress-meter -i|--include|--show-headers -w|--write-out= -f|--fail --fail-with-body --fail-early -L|--location --location-trusted -H|--header= -b|--cookie= -c|--cookie-jar=:write -A|--user-agent= -e|--referer= -u|--user= --basic --digest
      --negotiate --ntlm --anyauth --oauth2-bearer= -k|--insecure -E|--cert= --cert-type= --key= --key-type= --pass= --cacert=:read --capath=:read --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max= --ciphers= --ssl --ssl-reqd
      -x|--proxy=:url -U|--proxy-user= --noproxy= --socks5=:url --socks5-hostname=:url --socks4=:url --proxy-insecure --preproxy=:url --connect-timeout= -m|--max-time= --retry= --retry-delay= --retry-max-time= --retry-connrefused --retry-all-errors -r|--range= -z|--time-cond=
      --interface= -4|--ipv4 -6|--ipv6 --doh-url= --dns-servers= --resolve= --connect-to= -0|--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --http0.9 -N|--no-buffer -g|--globoff -Z|--parallel --parallel-max= --parallel-immediate --limit-rate= --max-filesize= --max-redirs= -G|--get
      --url=:url --url-query= --compressed --compressed-ssh -n|--netrc --netrc-optional --netrc-file=:read --create-dirs --output-dir=:write --xattr --etag-save=:write --etag-compare=:read -h|--help? -V|--version -M|--manual -R|--remote-time -C|--continue-at= --raw --tr-encoding --path-as-is --keepalive-time= --no-keepalive
      --tcp-nodelay --tcp-fastopen -p|--proxytunnel -l|--list-only -B|--use-ascii --ftp-pasv -P|--ftp-port= --disable-epsv --disable-eprt -j|--junk-session-cookies --suppress-connect-headers --styled-output --no-styled-output -y|--speed-time= -Y|--speed-limit= --trace-time --trace-ids -a|--append!remote
      -d|--data=!remote --data-raw=!remote --data-binary=!remote --data-urlencode=!remote --data-ascii=!remote --json=!remote -F|--form=!remote --form-string=!remote -T|--upload-file=!remote -Q|--quote= --mail-from=!remote --mail-rcpt=!remote --mail-auth=!remote --ftp-create-dirs!remote
      --unix-socket=!no --abstract-unix-socket=!no -K|--config=!no --trace=:write --trace-ascii=:write --libcurl=:write -q|--disable--next --engine=!no --krb= --delegation= --happy-eyeballs-timeout-ms= --local-port= --location-mode= --request-target= --proto= --proto-default= --proto-redir= --expect100-timeout= --ca-native --haproxy-protocol --hsts=:write --alt-svc=:write --no-alpn --crlf --no-sessionid --proxy-header= --proxy-cacert=:read --proxy-cert= --proxy-key= --proxy-basic --proxy-digest --proxy-ntlm --proxy-negotiate --proxy-anyauth --proxy-tlsv1 --proxy-http2 --proxy1.0=:url --cert-status --ssl-no-revoke --ssl-allow-beast --ssl-auto-client-cert --tlsuser= --tlspassword= --tlsauthtype= --tls13-ciphers= --curves= --crlfile=:read --pinnedpubkey= --sasl-ir --sasl-authzid= --service-name= --login-options= --rate= --remove-on-error --skip-existing --mptcp --ipfs-gateway= --disallow-username-in-url --post301 --post302 --post303 --ignore-content-length --ip-tos= --vlan-priority= --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dump-ca-embed --aws-sigv4= --false-start --tcp-keepalive --keepalive-cnt= --doh-insecure --doh-cert-status --socks4a=:url --socks5-basic --socks5-gssapi --max-time= --no-location --no-fail --no-silent --no-verbose --no-insecure --no-compressed --ntlm-wb --telnet-option= --tftp-blksize= --tftp-no-options --hostpubmd5= --pubkey= --ftp-method= --ftp-skip-pasv-ip --ftp-ssl-control --ftp-account= --ftp-alternative-to-user= --ftp-ssl-ccc`,
    check: 'curl',
  },
  wget: {
    kind: 'write',
    known: true,
    args: 'url',
    flags: `--spider -O|--output-document=:write -o|--output-file=:write -a|--append-output=:write -P|--directory-prefix=:write -q|--quiet -v|--verbose -nv -S|--server-response -T|--timeout= -t|--tries= -U|--user-agent= --header= --no-check-certificate -4 -6 -i|--input-file=!no
      -b|--background!write --post-data=!remote --post-file=!remote --method=!remote --body-data=!remote --body-file=!remote -e|--execute=!exec --use-askpass=!exec --config=!no --load-cookies=:read!remote --save-cookies=:write -h|--help -V|--version --max-redirect= --wait= -w= --limit-rate= --warc-file=:write --rejected-log=:write --hsts-file=:write`,
    check: 'wget',
  },
  'http https xh httpie': { kind: 'unlisted' },
  'ping ping6 traceroute traceroute6 tracepath mtr dig host nslookup drill whois fping dog doggo': {
    kind: 'read',
    known: true,
    check: 's-client',
    flags: `-f=!no -c= -n -q -v -w= -W= -i= -I= -s= -t= -m= -p= -4 -6 -a -A -b -D -R -U -O -h -V -l= -M= -Q= -S= -T= -r -x= -C -d -N= -L -T -e -z --help --version --report -rw --report-wide --json --tcp --udp --no-dns --raw --csv --count --interval= --resolve-as= -k=!no -y=!no -P= -u --short --time --type= -type= -query= -port= -timeout= -retry= -debug -class= -H --host=
      --all --show-resolve --quiet --dns-only --color= -J|--json -1 --tls --https -E= -K= -P -B= -G= -o= -X= --seconds --edns= --txid= +*`,
  },
  getent: { kind: 'read', args: 'text', flags: '-s= -i -A --help --version', check: 'getent' },
  arp: { kind: 'read', flags: '-a -n -v -e -i=' },
  'netstat ss iftop nethogs bandwhich': {
    kind: 'read',
    flags:
      '-K|--kill!system -f|--family= -D|--diag=:write -a|--all -l|--listening -t|--tcp -u|--udp -w|--raw -x|--unix -n|--numeric -p|--processes -e|--extended -o|--options -m|--memory -i|--info -s|--summary -r|--resolve -4|--ipv4 -6|--ipv6 -0|--packet -H|--no-header -O|--oneline -A|--query= -b|--bpf -Z|--context -z|--contexts -N|--net= -F|--filter=:read -M -S --tipc --vsock --xdp -W -E|--events -h|--help -V|--version',
  },
  netstat: {
    kind: 'read',
    flags:
      '-a -n -t -u -l -p -r -s -i -e -c -o -v -W -g -M -N -C -F -4 -6 -w -x -f= -I= -A -L -R -S -T -b -d -m -q= --all --numeric --tcp --udp --listening --programs --route --statistics --interfaces --extend --continuous --help --version',
  },
  ifconfig: { kind: 'read', max: 1, flags: '-a -l -s -v -L -m -u -d -C', check: 'plain-args' },
  ip: {
    globals:
      '-4 -6 -B -M -0 -s|-stats|-statistics|--statistics -d|-details|--details -h|-human|-human-readable|--human-readable -j|-json|--json -p|-pretty|--pretty -o|-oneline|--oneline -br|-brief|--brief -c|-color|--color? -t|-timestamp -ts -r|-resolve -n|-netns|--netns= -N -a|-all -f|-family= -l|-loops= -rc= -V|-Version|--Version -iec -echo',
    check: 'ip',
    kind: 'unlisted',
  },
  'ssh autossh sshpass mosh': { kind: 'remote', posix: true },
  'scp sftp rclone ftp lftp telnet nc ncat netcat socat': { kind: 'remote' },
  'ssh-keygen': {
    kind: 'write',
    single: true,
    flags: '-l -lf= -f= -E= -v -F= -B -y!credential',
    check: 'ssh-keygen',
  },
  'ssh-add': { kind: 'system', flags: '-l -L', check: 'list-only' },
  'ssh-keyscan': { kind: 'read', flags: '-4 -6 -c -D -H -v -q -f=!no -O= -p= -T= -t=' },
  nmap: { kind: 'unlisted' },
  openssl: {
    single: true,
    flags: 'version',
    sub: {
      'version help list ciphers errstr': {
        kind: 'read',
        single: true,
        flags:
          '-provider=!exec -provider-path=!exec -engine=!exec -writerand=:write -config=!no -a -v -V -b -o -f -p -d -e -m -r -c -s -1 -verbose -help -commands -standard-commands -digest-commands -digest-algorithms -cipher-commands -cipher-algorithms -public-key-algorithms -public-key-methods -kdf-algorithms -mac-algorithms -random-generators -key-managers -providers -disabled -options= -all-algorithms -encoders -decoders -signature-algorithms -tls1 -tls1_1 -tls1_2 -tls1_3 -stdname -psk -convert=',
      },
      x509: {
        kind: 'read',
        single: true,
        needs: { one: '-noout', otherwise: 'unlisted' },
        flags:
          '-in=:read -inform= -noout -text -subject -issuer -dates -enddate -startdate -serial -fingerprint -pubkey -modulus -purpose -hash -subject_hash -issuer_hash -email -ocsp_uri -ext= -nameopt= -certopt= -sha1 -sha256 -sha512 -md5 -checkend= -checkhost= -checkemail= -checkip= -alias -C -ocspid -dateopt=',
      },
      s_client: {
        kind: 'read',
        single: true,
        check: 's-client',
        flags:
          '-showcerts -brief -quiet -state -debug -msg -tls1 -tls1_1 -tls1_2 -tls1_3 -no_tls1 -no_tls1_1 -no_tls1_2 -no_tls1_3 -alpn= -nextprotoneg= -CAfile=:read -CApath= -verify= -verify_return_error -verify_hostname= -verify_quiet -prexit -status -cipher= -ciphersuites= -curves= -groups= -sigalgs= -noservername -no_ign_eof -ign_eof -4 -6 -timeout -host=:host -port= -help -tlsextdebug -reconnect -nameopt= -name= -xmpphost= -crlf -trace -no_ticket -legacy_renegotiation -connect=:host -servername= -starttls= -keylogfile=:write -sess_out=:write -msgfile=:write -early_data= -writerand=:write -proxy=:host -engine=!exec -provider=!exec -provider-path=!exec',
      },
      'req crl verify asn1parse pkey rsa ec dgst enc rand genrsa genpkey pkcs12 pkcs8 s_server ca ocsp smime cms speed':
        'unlisted',
    },
  },
  'tcpdump tshark wireshark ngrep': { kind: 'system' },
  'iptables ip6tables nft ufw firewall-cmd route brctl iw iwconfig nmcli ethtool tc bridge': {
    kind: 'system',
  },
  websocat: 'remote',
}
