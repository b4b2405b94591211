/**
 * The recipients that a merchant may pay out to. `any`: every recipient that a payout names; `registered`: those that it has registered,
 * with the tokens that it registered; `approved`: those of them that an operator has approved. The widest stands first.
 */
export const recipientRules = ['any', 'registered', 'approved'] as const;
export type RecipientRule = (typeof recipientRules)[number];

/** `automatic`: an orphan effect is given back at once; `approve`: once a person approved. */
const orphanPolicies = ['automatic', 'approve'] as const;
export type OrphanPolicy = (typeof orphanPolicies)[number];

/** `named`: a payment is for the order that it names, if any; `by_reference`: otherwise for that of its own reference. */
const orderRules = ['named', 'by_reference'] as const;
export type OrderRule = (typeof orderRules)[number];

/** `unique`: two payments of one reference within a day may be one that was paid twice; `repeat`: they are not. */
const referenceRules = ['unique', 'repeat'] as const;
type ReferenceRule = (typeof referenceRules)[number];

/** The settings of a merchant, as its row and every caller of it have them. */
export interface MerchantSettings {
  /** For how many seconds the same payment under another key is held to be a mistake; 0: never. */
  readonly duplicateWindowS: number;
  readonly orders: OrderRule;
  readonly paymentReferences: ReferenceRule;
  readonly payoutRecipients: RecipientRule;
  /** null: as `PAYONCE_ORPHANS` says. */
  readonly orphans: OrphanPolicy | null;
  /** Requests a second of all its keys together; null: as `PAYONCE_MERCHANT_RATE` says. */
  readonly requestRate: number | null;
}

/** A setting as commands and the console ask for it. */
interface MerchantSetting<Value> {
  /** Its name in JSON and audit records (`merchant.<name>_set`); with dashes, that of its command (`set-<name>`). */
  readonly name: string;
  /** The column of `merchants`. */
  readonly column: string;
  /** The option of its command that takes the value. */
  readonly option: string;
  /** The help of its command. */
  readonly help: string;
  readonly label: string;
  /** The sentence that tells an administrator what the setting does. */
  readonly note: string;
  readonly initial: Value;
  /** The words for null, which is written `default`; absent: it is never null. */
  readonly whenUnset?: string;
  readonly takes: Value extends string | null ? Choices<NonNullable<Value>> : WholeNumbers;
}

/** Each value with its words. */
type Choices<Value extends string> = Readonly<Record<Value, string>>;

interface WholeNumbers {
  readonly from: number;
  readonly to: number;
  readonly words: (value: number) => string;
}

/** Every setting once: columns, REST, commands, console and audit read it here. */
export const merchantSettings = {
  duplicateWindowS: {
    name: 'duplicate_window',
    column: 'duplicate_window_s',
    option: '--seconds <n>',
    help: 'refuse the same payment under another key for a while; 0 turns it off',
    label: 'Same payment refused',
    note: 'For so many seconds a payment of the same amount, currency and reference under another key is refused. 0: never.',
    initial: 0,
    // A mistake is noticed within a day, or by a person.
    takes: { from: 0, to: 86_400, words: (seconds) => (seconds === 0 ? 'never' : `within ${seconds} s`) },
  },
  orders: {
    name: 'orders',
    column: 'orders',
    option: '--rule <rule>',
    help: "let a merchant's payments be paid once for each order, without a change of its requests",
    label: 'Orders are',
    note: 'By reference, a second payment of a reference goes ahead only on proof that the first took nothing. It holds from the next payment on.',
    initial: 'named',
    takes: {
      named: 'those that payments name',
      by_reference: "each payment's own reference",
    },
  },
  paymentReferences: {
    name: 'payment_references',
    column: 'payment_references',
    option: '--rule <rule>',
    help: 'say whether two captured payments of one reference, amount and currency within a day are a break',
    label: 'References of payments',
    note: 'Reconciliation shows two captured payments of one reference, amount and currency within a day, unless references repeat.',
    initial: 'unique',
    takes: {
      unique: 'are each of one payment',
      repeat: 'are used again',
    },
  },
  payoutRecipients: {
    name: 'payout_recipients',
    column: 'payout_recipients',
    option: '--rule <rule>',
    help: 'let a merchant pay out to known recipients alone',
    label: 'Pays out to',
    note: 'It holds from the next payout on. Payouts to others are refused; those on their way go on.',
    initial: 'any',
    takes: {
      any: 'every recipient that a payout names',
      registered: 'recipients that it registered',
      approved: 'recipients that an operator approved',
    },
  },
  orphans: {
    name: 'orphans',
    column: 'orphans',
    option: '--policy <policy>',
    help: "say whether a merchant's orphan effects are given back at once; default: as PAYONCE_ORPHANS says",
    label: 'Orphan effects are given back',
    note: 'It holds for those that wait, too.',
    initial: null,
    whenUnset: 'as the installation is configured',
    takes: { automatic: 'at once', approve: 'once an operator approved' },
  },
  requestRate: {
    name: 'request_rate',
    column: 'request_rate',
    option: '--per-second <n>',
    help: 'say how many requests a second a merchant may send; default: as PAYONCE_MERCHANT_RATE says',
    label: 'Requests a second',
    note: 'Of all its keys together. A request above it is refused at once (429), before anything is done.',
    initial: null,
    whenUnset: 'as the installation is configured',
    takes: { from: 1, to: 1_000_000, words: String },
  },
} as const satisfies { readonly [Key in SettingKey]: MerchantSetting<MerchantSettings[Key]> };

export type SettingKey = keyof MerchantSettings;

/** The settings by their names in JSON. */
export type MerchantSettingsJson = {
  readonly [Key in SettingKey as (typeof merchantSettings)[Key]['name']]: MerchantSettings[Key];
};

export type SettingName = keyof MerchantSettingsJson;

export const settingKeys = Object.keys(merchantSettings) as readonly SettingKey[];

export const settingNames: readonly SettingName[] = settingKeys.map((key) => merchantSettings[key].name);

export function settingKeyOf(name: SettingName): SettingKey {
  return settingKeys.find((key) => merchantSettings[key].name === name)!;
}

export const initialSettings = pick((key) => merchantSettings[key].initial);

/** The settings among the columns of a row. */
export function settingsOf(row: MerchantSettings): MerchantSettings {
  return pick((key) => row[key]);
}

export function settingsJson(row: MerchantSettings): MerchantSettingsJson {
  const members = settingKeys.map((key) => [merchantSettings[key].name, row[key]]);
  return Object.fromEntries(members) as MerchantSettingsJson;
}

function pick(valueOf: (key: SettingKey) => unknown): MerchantSettings {
  return Object.fromEntries(settingKeys.map((key) => [key, valueOf(key)])) as unknown as MerchantSettings;
}

/** The words that a value of the setting has; null as `default`. */
export function choicesOf(key: SettingKey): ReadonlyMap<string, string> | null {
  const { takes, whenUnset } = settingOf(key);
  if (isWholeNumbers(takes)) return null;
  return new Map([
    ...(whenUnset === undefined ? [] : [['default', whenUnset] as const]),
    ...Object.entries(takes),
  ]);
}

/** The text that `settingValueOf` reads. */
export function settingText(value: MerchantSettings[SettingKey]): string {
  return value === null ? 'default' : String(value);
}

/** The value in words, to follow the setting's label. */
export function inWords<Key extends SettingKey>(key: Key, value: MerchantSettings[Key]): string {
  const { takes, whenUnset } = settingOf(key);
  if (value === null) return whenUnset!;
  return isWholeNumbers(takes) ? takes.words(Number(value)) : takes[String(value)]!;
}

/** A setting, whatever its type of values. */
export function settingOf(key: SettingKey): AnySetting {
  return merchantSettings[key];
}

type AnySetting = Omit<MerchantSetting<unknown>, 'takes'> & {
  readonly takes: WholeNumbers | Choices<string>;
};

export function isWholeNumbers(takes: AnySetting['takes']): takes is WholeNumbers {
  return typeof takes['words'] === 'function';
}
