import { type BundledSimulator } from './bundled-simulator.js';
import { type Config } from './kernel/index.js';
import { defaultPsps, type PspsConfig, readPspsFile } from './psp/index.js';

/** Where the bundled simulator listens when it was started apart. */
const SIMULATOR_APART = { stripe: 'http://127.0.0.1:8420', adyen: 'http://127.0.0.1:8430' };

/** The accounts of the file, or the simulator's. @throws PspsFileError */
export async function pspsOf({ pspsFile }: Config, simulator: BundledSimulator | null): Promise<PspsConfig> {
  return pspsFile ? readPspsFile(pspsFile, process.env) : defaultPsps(simulator?.urls ?? SIMULATOR_APART);
}
