/**
 * The runs that data alone cannot pass, each with the reason. The list shrinks only: a run in it that
 * passes is as wrong as one beside it that fails.
 */
const SAMPLING = 'the tool asks the client to sample while it runs, which only an upstream does'
const ELICITATION = 'the tool asks the user while it runs, which only an upstream does'
const INPUT = 'the answer is input_required, which only an upstream gives'

export const BEYOND_DATA: Readonly<Record<string, string>> = {
  'tools-call-sampling 2025-06-18': SAMPLING,
  'tools-call-elicitation 2025-06-18': ELICITATION,
  'tools-call-sampling 2025-11-25': SAMPLING,
  'tools-call-elicitation 2025-11-25': ELICITATION,
  'elicitation-sep1034-defaults 2025-11-25': ELICITATION,
  'elicitation-sep1330-enums 2025-11-25': ELICITATION,
  'input-required-result-basic-elicitation 2026-07-28': INPUT,
  'input-required-result-basic-sampling 2026-07-28': INPUT,
  'input-required-result-basic-list-roots 2026-07-28': INPUT,
  'input-required-result-request-state 2026-07-28': INPUT,
  'input-required-result-multiple-input-requests 2026-07-28': INPUT,
  'input-required-result-multi-round 2026-07-28': INPUT,
  'input-required-result-missing-input-response 2026-07-28': INPUT,
  'input-required-result-non-tool-request 2026-07-28': INPUT,
  'input-required-result-result-type 2026-07-28': INPUT,
  'input-required-result-tampered-state 2026-07-28': INPUT,
  'input-required-result-capability-check 2026-07-28': INPUT,
  'input-required-result-ignore-extra-params 2026-07-28': INPUT,
  'input-required-result-validate-input 2026-07-28':
    'passes without the tool it is about, since any error counts; it says nothing until there is one',
  'server-sse-polling 2025-11-25':
    'the server must end a stream before its answer, for which the suite has a tool of its own',
}

/** Runs of the list that a server without their tool passes nevertheless. */
export const PASSES_EMPTILY: ReadonlySet<string> = new Set([
  'input-required-result-validate-input 2026-07-28',
])
