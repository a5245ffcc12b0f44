import { render } from 'preact'
import { login } from './api.ts'
import { App } from './app.tsx'
import { follow } from './live.ts'
import { go } from './router.tsx'

const { refused, back } = await login()
// Before the first view is drawn: where this tab was when its login ended.
if (back) go(back)
const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App refused={refused} />, root)
  void follow()
}
