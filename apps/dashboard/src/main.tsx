import { render } from 'preact'
import { login } from './api.ts'
import { App } from './app.tsx'
import { followJournal } from './live.ts'
import { navigate } from './router.tsx'

const { refused, back } = await login()
// Return to where this tab was when its login ended, before the first view is drawn.
if (back) navigate(back)
const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App refused={refused} />, root)
  void followJournal()
}
