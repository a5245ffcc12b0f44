// Counts CI's results: vitest's report, plus one failure for each step that failed without a failing test.
import { readFileSync } from 'node:fs'

const [report, testsExit, checksExit, editorReport, editorExit] = process.argv.slice(2)
const tests = counted(report)
const editor = counted(editorReport)
// 75: VS Code cannot be downloaded here. CI reports that, but it is not a failure.
const editorFailed = editorExit !== '0' && editorExit !== '75'
const nameless =
  (testsExit !== '0' && tests.failed === 0 ? 1 : 0) +
  (editorFailed && editor.failed === 0 ? 1 : 0) +
  (checksExit !== '0' ? 1 : 0)
if (testsExit !== '0') console.log(`npm test ended with ${testsExit}`)
if (editorFailed) console.log(`npm run test:vscode ended with ${editorExit}`)
if (editorExit === '75') console.log('npm run test:vscode did NOT run: VS Code cannot be downloaded here')
if (checksExit !== '0') console.log(`npm run check ended with ${checksExit}`)
const failed = tests.failed + editor.failed + nameless
console.log(`${tests.passed + editor.passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function counted(path) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    // A file that could not be loaded has no failing test but counts as a failure.
    const broken = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some(result => result.status === 'failed'),
    )
    return { passed: numPassedTests, failed: numFailedTests + broken.length }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
