/** Asking an object once more when it was reset under the first question (`platform.md` §3). */

/** Runs a read, and once again with a fresh stub where the platform says that may help. */
export async function retrying<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isRetryable(error)) throw error
    return ask()
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { retryable, overloaded } = error as Error & { retryable?: boolean; overloaded?: boolean }
  return retryable === true && overloaded !== true
}
