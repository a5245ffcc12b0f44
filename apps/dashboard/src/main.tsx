import { render } from 'preact'
import { login } from './api.ts'
import { App } from './app.tsx'
import { follow } from './live.ts'

const refused = await login()
const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App refused={refused} />, root)
  void follow()
}
