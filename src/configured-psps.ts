import { type BundledSimulator } from './bundled-simulator.js';
import { type Config, ConfigError } from './config/config.js';
import { type PspsConfig } from './psp/psps-config.js';
import { defaultPsps, readPspsFile } from './psp/psps-file.js';

/** The addresses of a bundled simulator that was started apart. */
const SIMULATOR_APART = { stripe: 'http://127.0.0.1:8420', adyen: 'http://127.0.0.1:8430' };

/**
 * The accounts of the file, or the simulator's where it was asked for or nothing else is configured.
 * @throws PspsFileError, ConfigError
 */
export async function pspsOf(config: Config, simulator: BundledSimulator | null): Promise<PspsConfig> {
  const { pspsFile, simulated } = config;
  if (pspsFile) return readPspsFile(pspsFile, process.env, config);
  if (simulated) return defaultPsps(simulator?.urls ?? SIMULATOR_APART);
  throw new ConfigError([
    'there is no PSP account: name a file of them with PAYONCE_PSPS_FILE (docs/configuration.md), ' +
      'or set PAYONCE_SIMULATOR=on, with which no payment is real',
  ]);
}
