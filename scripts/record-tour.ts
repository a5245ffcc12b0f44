import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { shownLines, tourPicture } from './tour-picture.ts'

// Records the real `baton tour` and writes docs/tour.svg, the moving picture in the README. Build first.
const root = join(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'baton-record-'))
try {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'packages/baton/dist/cli.js'), 'tour', '--yes'],
    {
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        // As npx starts it: its last lines name the command that started it.
        npm_command: 'exec',
        HOME: home,
        LC_ALL: 'C.UTF-8',
        FORCE_COLOR: '1',
      },
      cwd: home,
      timeout: 120_000,
    },
  )
  const svg = tourPicture(shownLines(stdout))
  writeFileSync(join(root, 'docs/tour.svg'), svg)
  console.log(`docs/tour.svg: ${(svg.length / 1024).toFixed(0)} KB`)
} finally {
  rmSync(home, { recursive: true, force: true })
}
