// Takes snapshots and goes back until it is killed: FOLDER STATE.
import { gitSnapshots } from '../../src/adapters/git/snapshot.ts'
import { Undo } from '../../src/undo/undo.ts'

const [folder = '', state = ''] = process.argv.slice(2)
const undo = new Undo({
  snapshots: gitSnapshots({ dir: state }),
  clock: { now: () => Date.UTC(2026, 10, 15), elapsed: () => 0 },
})
process.stdout.write('ready\n')
for (let i = 0; ; i++) {
  await undo.take(folder, { label: `round ${i}` })
  if (process.argv[4] === 'restore') await undo.restore(folder)
}
