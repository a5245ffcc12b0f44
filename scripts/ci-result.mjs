// Counts what CI found: vitest's report, plus one failure for each step that failed without a test to blame.
import { readFileSync } from 'node:fs'

const [report, testsExit, checksExit] = process.argv.slice(2)
const { passed, failed } = counted(report)
const nameless = (testsExit !== '0' && failed === 0 ? 1 : 0) + (checksExit !== '0' ? 1 : 0)
if (testsExit !== '0') console.log(`npm test ended with ${testsExit}`)
if (checksExit !== '0') console.log(`npm run check ended with ${checksExit}`)
console.log(`${passed} passed, ${failed + nameless} failed`)
process.exitCode = failed + nameless > 0 ? 1 : 0

function counted(path) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    // A file that could not even be loaded has no failing test, and yet it failed.
    const broken = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some(result => result.status === 'failed'),
    )
    return { passed: numPassedTests, failed: numFailedTests + broken.length }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
