// Answers each `N.ask.json` in COMPANION_FOLDER with `N.answer.json`: a tool that a model would call, or a command.
const { readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const vscode = require('vscode')

const folder = process.env.COMPANION_FOLDER

exports.activate = context => {
  if (!folder) return
  const seen = new Set()
  const timer = setInterval(() => {
    for (const name of readdirSync(folder)) {
      if (!name.endsWith('.ask.json') || seen.has(name)) continue
      seen.add(name)
      void answer(name)
    }
  }, 50)
  context.subscriptions.push({ dispose: () => clearInterval(timer) })
  put('ready.answer.json', { value: vscode.version })
}

async function answer(name) {
  const asked = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const to = name.replace('.ask.', '.answer.')
  try {
    put(to, { value: await run(asked) })
  } catch (error) {
    put(to, { error: String(error?.message ?? error) })
  }
}

async function run({ tool, input, tools, command, args = [] }) {
  if (tools)
    return vscode.lm.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  if (command) return (await vscode.commands.executeCommand(command, ...args)) ?? null
  const { content } = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined })
  return content.map(part => part.value)
}

function put(name, value) {
  writeFileSync(join(folder, `${name}.new`), JSON.stringify(value))
  renameSync(join(folder, `${name}.new`), join(folder, name))
}
