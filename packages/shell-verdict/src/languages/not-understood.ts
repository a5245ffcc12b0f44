/** Thrown by the readers of small languages where a token was not understood; the message completes a reason. */
export class NotUnderstood extends Error {}

/** What a reader could not accept, or undefined when it read everything. */
export function findHazard(read: () => void): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof NotUnderstood) return error.message
    throw error
  }
}
