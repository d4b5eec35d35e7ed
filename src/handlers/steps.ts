/** What a static tool sends before its result: progress, logs, and waits between them. */
import * as z from 'zod'
import { LOG_LEVELS } from '../protocol/logging.ts'

const MAX_STEPS = 100
const MAX_WAIT_MS = 60_000

const Progress = z.strictObject({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
})

const Log = z.strictObject({
  level: z.enum(LOG_LEVELS),
  logger: z.string().optional(),
  data: z.unknown(),
})

const Step = z.union([
  z.strictObject({ progress: Progress }),
  z.strictObject({ log: Log }),
  z.strictObject({ waitMs: z.int().min(0).max(MAX_WAIT_MS) }),
])
export type Step = z.infer<typeof Step>

/** The steps of a tool: progress has to rise from one to the next (`mcp-protocol.md` §3.6). */
export const Steps = z
  .array(Step)
  .max(MAX_STEPS)
  .superRefine((steps, context) => {
    let last = -Infinity
    for (const [index, step] of steps.entries()) {
      if (!('progress' in step)) continue
      const { progress } = step.progress
      if (progress <= last) {
        const path = [index, 'progress', 'progress']
        context.addIssue({ code: 'custom', path, message: `must be over ${last}, the one before` })
      }
      last = progress
    }
  })
