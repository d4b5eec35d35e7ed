/**
 * URLs with variables in them, `{{system__env_<label>}}`, whose values differ by environment
 * (`surfaces.md` B17). What comes before the first is literal, so no value can choose the protocol.
 */
import * as z from 'zod'
import { OpenUrl } from './open-url.ts'

const VARIABLE = /\{\{\s*system__env_([A-Za-z0-9_]{1,100})\s*\}\}/g
const MAX_LENGTH = 4096

/** A URL that begins with http(s):// and has variables after that; right with any plain values. */
export const UrlWithVariables = z
  .string()
  .max(MAX_LENGTH)
  .refine((url) => /^https?:\/\//.test(url) && labelsIn(url).length > 0, 'must be a URL')
  .refine((url) => samplesOf(url).length > 0, 'must be a URL')

/** The labels of the variables in a URL, each once. */
export function labelsIn(url: string): string[] {
  return [...new Set(Array.from(url.matchAll(VARIABLE), ([, label = '']) => label))]
}

/** The URLs that come of one whose variables are all a word, or all a number, as of a port. */
export function samplesOf(url: string): string[] {
  const filled = ['x', '1'].map((value) => fillUrl(url, () => value))
  return filled.filter((sample) => OpenUrl.safeParse(sample).success)
}

/** A URL with the values of its variables as they are; whether the result is one is the caller's to see. */
export function fillUrl(url: string, valueOf: (label: string) => string): string {
  return url.replaceAll(VARIABLE, (_, label: string) => valueOf(label))
}
