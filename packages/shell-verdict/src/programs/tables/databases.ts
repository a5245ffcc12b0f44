import type { ProgramTable } from '../spec.ts'

/** Database clients: one statement that only reads, given on the command line. */
export const DATABASES: ProgramTable = {
  psql: {
    kind: 'remote',
    args: 'text',
    flags: `-c|--command= -d|--dbname= -h|--host= -p|--port= -U|--username= -w|--no-password -W|--password -l|--list -t|--tuples-only -A|--no-align -x|--expanded -H|--html -q|--quiet -X|--no-psqlrc -F|--field-separator= -R|--record-separator= -P|--pset= -T= -a|--echo-all -b|--echo-errors -e|--echo-queries
      -E|--echo-hidden -n|--no-readline -s|--single-step -S|--single-line -z -0 -1|--single-transaction --csv -V|--version --help? -v|--set|--variable=!no -f|--file=!no -o|--output=:write -L|--log-file=:write`,
    check: 'psql',
  },
  'mysql mariadb': {
    kind: 'remote',
    args: 'text',
    flags: `-e|--execute= -D|--database= -h|--host= -P|--port= -u|--user= -p|--password? -S|--socket= -B|--batch -N|--skip-column-names -H|--html -X|--xml -t|--table -E|--vertical -s|--silent -v|--verbose -r|--raw -q|--quick -f|--force -A|--no-auto-rehash -c|--comments --column-names --default-character-set= --protocol= --ssl? --ssl-mode= --connect-timeout= -V|--version --help -G -C|--compress -w|--wait -i
      --defaults-file=!no --defaults-extra-file=!no --init-command=!no --tee=:write --pager?!exec`,
    check: 'mysql',
  },
  sqlite3: {
    kind: 'remote',
    single: true,
    args: ['read', 'text'],
    flags:
      '-version --version -help --help -readonly --readonly -safe --safe -line -list -column -csv -json -html -markdown -table -box -quote -tabs -ascii -header -noheader -batch -bail -echo -stats -nullvalue= -separator= -newline= -cmd= -mmap= -lookaside= -memtrace -nofollow -utf8 -init=!no -interactive!no -A!no -append!no -deserialize -maxsize= -pagecache= -vfs= -zip',
    check: 'sqlite3',
  },
  duckdb: {
    kind: 'remote',
    single: true,
    args: ['read', 'text'],
    flags:
      '-version --version -help --help -readonly --readonly -safe -line -list -column -csv -json -html -markdown -table -box -quote -ascii -header -noheader -batch -bail -echo -stats -nullvalue= -separator= -newline= -cmd= -c= -s= -no-stdin -ui!exec -init=!no -interactive!no -unsigned!no -f=!no',
    check: 'duckdb',
  },
  sqlcmd: {
    kind: 'remote',
    bare: 'unlisted',
    flags:
      '-Q= -S= -d= -U= -P= -E -l= -t= -s= -W -b -N -C -K= -I -y= -Y= -w= -a= -m= -q=!no -i=!no -o=:write -G -A -e -r',
    check: 'sqlcmd',
    globals: '--help --version -h -v',
    sub: {
      query: {
        kind: 'remote',
        args: 'text',
        flags: '-q|--query= -t|--text= -d|--database=',
        check: 'sqlcmd',
      },
      config: {
        sub: {
          'cs connection-strings view get-contexts current-context get-users get-endpoints': {
            kind: 'read',
            flags: '-n|--name= -o|--output= --raw',
          },
        },
      },
      open: { sub: { ads: { kind: 'read' } } },
      'install uninstall create delete start stop': 'system',
    },
  },
  'redis-cli valkey-cli': {
    kind: 'remote',
    posix: true,
    args: 'text',
    flags:
      '-h= -p= -n= -a= -u= --user= --pass= --no-auth-warning --raw --no-raw --csv --json --tls -2 -3 -c -s= --version -v --scan --pattern= --bigkeys --memkeys --hotkeys --stat --latency',
    check: 'redis',
  },
  'mongosh mongo': { kind: 'remote', check: 'mongo' },
  pg_isready: {
    kind: 'read',
    flags: '-d|--dbname= -h|--host= -p|--port= -q|--quiet -t|--timeout= -U|--username= -V|--version --help',
  },
  'pg_dump pg_dumpall mysqldump mongodump pg_restore mongorestore createdb createuser': 'remote',
  dropdb: 'demolish',
  mysqladmin: { kind: 'remote', posix: true, flags: '-u= -p? -h= -P= -f|--force', check: 'mysqladmin' },
  'clickhouse-client clickhouse bcp influx cqlsh': 'remote',
}
