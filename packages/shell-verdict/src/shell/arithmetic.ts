import type { ArithmeticExpression, CommandExpansionPart, ParsedScript, SyntaxNode, WordPart } from 'unbash'
import { forEachChild } from 'unbash'

/**
 * Bash evaluates the text of a variable as an expression wherever a number is expected, and a subscript in that
 * text may hold a command substitution: `x='a[$(cmd)]'; ((x))` runs cmd. So a name used there must hold nothing
 * the text cannot show.
 */
export type Tainted = (name: string) => boolean

/** Why this expression could run something unseen, or undefined. */
export function arithmeticHazard(
  expression: ArithmeticExpression | undefined,
  tainted: Tainted,
): string | undefined {
  if (!expression) return undefined
  let hazard: string | undefined
  const visit = (node: SyntaxNode): void => {
    if (hazard) return
    if (node.type === 'ArithmeticCommandExpansion') {
      if (!givesNumber(node.script)) hazard = 'the output of a command is evaluated as an expression'
      return
    }
    if (node.type === 'ArithmeticWord') {
      hazard = textHazard(node.value, node.parts, tainted)
      return
    }
    forEachChild(node, visit)
  }
  visit(expression)
  return hazard
}

/** The same for a word in a place where bash expects a number: a subscript, an offset, an operand of -eq. */
export function textHazard(
  text: string,
  parts: readonly WordPart[] | undefined,
  tainted: Tainted,
): string | undefined {
  if (!parts) return nameHazard(text, tainted)
  for (const part of parts) {
    const found = partHazard(part, tainted)
    if (found) return found
  }
  return undefined
}

function partHazard(part: WordPart, tainted: Tainted): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'Glob':
      return nameHazard(part.value, tainted)
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return /[[`$]/.test(part.value)
        ? 'a quoted text is evaluated as an expression'
        : nameHazard(part.value, tainted)
    case 'DoubleQuoted':
    case 'LocaleString':
      return textHazard('', part.parts, tainted)
    case 'SimpleExpansion': {
      const name = part.text.slice(1)
      if (/^[#?$!]$/.test(name)) return undefined
      return expansionHazard(name, tainted)
    }
    case 'ParameterExpansion':
      if (part.prefix === '#') return undefined
      if (part.prefix || part.operation) return 'an expanded text is evaluated as an expression'
      return expansionHazard(part.parameter, tainted)
    case 'CommandExpansion':
      return givesNumber(commandOf(part))
        ? undefined
        : 'the output of a command is evaluated as an expression'
    case 'ArithmeticExpansion':
      return arithmeticHazard(part.expression, tainted)
    default:
      return 'an expanded text is evaluated as an expression'
  }
}

function expansionHazard(name: string, tainted: Tainted): string | undefined {
  // Positional parameters come from a caller.
  if (/^\d+$|^[@*]$/.test(name) || FILLED_BY_SHELL.test(name) || tainted(name))
    return `$${name} is evaluated as an expression`
  return undefined
}

/** Variables that the shell itself fills with words of the text or of its input. */
const FILLED_BY_SHELL =
  /^(?:_|REPLY|OPTARG|BASH_REMATCH|MAPFILE|BASH_ARGV|BASH_ARGV0|BASH_COMMAND|BASH_EXECUTION_STRING|DIRSTACK|PWD|OLDPWD|COPROC|READLINE_LINE|FUNCNAME)$/

function nameHazard(text: string, tainted: Tainted): string | undefined {
  if (/\$\{?(?:\d|[@*])/.test(text)) return 'a positional parameter is evaluated as an expression'
  for (const match of text.matchAll(/[A-Za-z_]\w*/g)) {
    if (FILLED_BY_SHELL.test(match[0]) || tainted(match[0]))
      return `${match[0]} is evaluated as an expression`
  }
  return undefined
}

function commandOf(part: CommandExpansionPart): ParsedScript | undefined {
  return part.script
}

/** Programs that print nothing but a number, whatever they read. */
export function givesNumber(script: ParsedScript | undefined): boolean {
  const statement = script?.commands.length === 1 ? script.commands[0] : undefined
  let command = statement?.command
  if (command?.type === 'Pipeline') command = command.commands.at(-1)
  if (command?.type !== 'Command') return false
  const name = command.name?.value
  const words = command.args.map(word => (word.type === 'Word' ? word.value : ''))
  if (name === 'nproc') return true
  if (name === 'wc') return words.every(word => /^-[lwcm]+$/.test(word)) && words.length > 0
  return name === 'date' && words.length === 1 && /^\+%[sYmdHMSNjuy]+$/.test(words[0] ?? '')
}
