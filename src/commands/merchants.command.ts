import { type Command, Option } from 'commander';
import {
  choicesOf,
  inWords,
  merchantSettings,
  type SettingKey,
  settingKeys,
  settingsJson,
} from '../core/merchant-settings.js';
import { type Merchant } from '../merchants/merchant.entity.js';
import { actor, command, type OpenInstallation, type RunCommand, withExamples } from './command.js';
import { ago, list } from './text.js';

export function addMerchants(payonce: Command, perform: RunCommand): void {
  const merchants = withExamples(
    payonce.command('merchants').description('create and list merchants'),
    'create --name Shop',
    'list',
  );
  command(merchants, 'create', 'add a merchant', '--name Shop', '--name Shop --duplicate-window 30')
    .requiredOption('--name <name>', 'the name of the merchant')
    .option('--duplicate-window <seconds>', 'refuse the same payment under another key for this long', '0')
    .action(({ name, duplicateWindow }: { name: string; duplicateWindow: string }) =>
      perform(async (opened) => {
        const merchant = await (await servicesOf(opened)).merchants.create(name, duplicateWindow, actor());
        return { json: merchantJson(merchant), text: `Merchant ${merchant.name}: ${merchant.id}` };
      }),
    );
  for (const key of settingKeys) addSetting(merchants, key, perform);
  command(merchants, 'list', 'list the merchants, newest first', '', '--json').action(() =>
    perform(async (opened) => {
      const all = await (await servicesOf(opened)).merchants.list();
      const now = opened.clock.now();
      return {
        json: all.map(merchantJson),
        text: list(all, {
          ID: ({ id }) => id,
          CREATED: ({ createdAt }) => ago(createdAt, now),
          DUPLICATES: ({ duplicateWindowS }) => inWords('duplicateWindowS', duplicateWindowS),
          NAME: ({ name, testOf }) => (testOf === null ? name : `${name} (test mode)`),
        }),
      };
    }),
  );
}

export async function servicesOf({ database, clock, ids }: OpenInstallation) {
  const { merchantServices } = await import('./merchant-services.js');
  return merchantServices(database.dataSource, clock, ids);
}

function addSetting(merchants: Command, key: SettingKey, perform: RunCommand): void {
  const { name, option, help, label } = merchantSettings[key];
  const values = [...(choicesOf(key)?.keys() ?? [])];
  const value = new Option(option, `the value; ${help}`).makeOptionMandatory();
  if (values.length > 0) value.choices(values);
  const example = `--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 ${value.long!} ${values.at(-1) ?? '30'}`;
  command(merchants, `set-${name.replaceAll('_', '-')}`, help, example)
    .requiredOption('--merchant <id>', 'the merchant')
    .addOption(value)
    .action((given: Readonly<Record<string, string>>) =>
      perform(async (opened) => {
        const { merchants } = await servicesOf(opened);
        const merchant = await merchants.set(given['merchant']!, key, given[value.attributeName()]!, actor());
        const said = `${label.toLowerCase()}: ${inWords(key, merchant[key])}`;
        return {
          json: merchantJson(merchant),
          text: `${merchant.name}, ${said}; running services notice within 5 s.`,
        };
      }),
    );
}

function merchantJson(merchant: Merchant): object {
  const { id, name, testOf, createdAt } = merchant;
  return { id, name, ...settingsJson(merchant), test_of: testOf, created_at: createdAt };
}
