import { spawnSync } from 'node:child_process'
import { describe } from 'vitest'
import { hookClientContract } from '../contracts/hook-client.contract.ts'

// Where there is no compiler, `baton init` does not offer this client.
describe.runIf(spawnSync('cc', ['--version']).status === 0)('compiled here', () => hookClientContract('c'))
