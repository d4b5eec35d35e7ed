/** Imported first, it has every Rollcall of a test file start with RESIDENCY strict. */
process.env['RESIDENCY'] = 'strict'
