// Breaks the hold of failover on purpose, to see the simulation notice: once a person resumes, another PSP is asked
// where the first cannot be reached.
import { breakLines } from './breaking.mjs';

breakLines('/request-storage/decisions/next-step.js', ['return isAboutThisRequest && ', 'return false && ']);
