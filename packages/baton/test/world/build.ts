import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** For vitest's globalSetup: builds Baton if its source changed. Journeys run the built command. */
export default function build(): void {
  const root = join(import.meta.dirname, '../../../..')
  execFileSync(process.execPath, ['scripts/bootstrap.mjs', 'build'], { cwd: root, stdio: 'inherit' })
}
