#!/usr/bin/env node
// Checked before anything is loaded: on an older Node the native store would end in a crash, not in a message.
if (Number(process.versions.node.split('.')[0]) < 22) {
  process.stderr.write(`baton: Node 22 or newer is needed, this is ${process.version} (nodejs.org)\n`)
  process.exit(1)
}
const [{ main, processIo }, { COMMANDS }] = await Promise.all([
  import('./cli/main.ts'),
  import('./cli/table.ts'),
])
process.exitCode = await main(process.argv.slice(2), COMMANDS, processIo())

export {}
