import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type MerchantRow, type PspAccountRow } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { type Entry } from '../answers.js';
import { api } from '../api.js';
import { type Search } from '../filters.js';

export const ledgerAccounts = [
  'psp_clearing',
  'merchant_payable',
  'refunds',
  'payouts',
  'disputes',
  'fees',
  'bank',
  'orphans',
] satisfies Entry['account'][];

/** The fields that narrow figures of the ledger to a PSP account, a currency and a merchant. */
export function LedgerFields({
  search,
  narrow,
}: {
  readonly search: Search;
  readonly narrow: (change: Search) => void;
}) {
  const psps = useQuery({ queryKey: ['psps'], queryFn: () => api<PageView<PspAccountRow>>('GET', 'psps') });
  const merchants = useQuery({
    queryKey: ['merchants', 'named'],
    queryFn: () => api<PageView<MerchantRow>>('GET', 'merchants'),
  });
  const all = { value: '', label: 'All' };
  return (
    <>
      <NativeSelect
        label="PSP"
        data={[all, ...(psps.data?.data ?? []).map(({ psp }) => ({ value: psp, label: psp }))]}
        value={search['psp'] ?? ''}
        onChange={({ currentTarget: { value } }) => narrow({ psp: value })}
      />
      <TextInput
        key={search['currency'] ?? ''}
        label="Currency"
        placeholder="All"
        w={100}
        maxLength={3}
        defaultValue={search['currency'] ?? ''}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur();
        }}
        onBlur={({ currentTarget: { value } }) => {
          const code = value.trim().toUpperCase();
          if (code === '' || /^[A-Z]{3}$/.test(code)) narrow({ currency: code });
        }}
      />
      <NativeSelect
        label="Merchant"
        maw={220}
        data={[all, ...(merchants.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))]}
        value={search['merchant_id'] ?? ''}
        onChange={({ currentTarget: { value } }) => narrow({ merchant_id: value })}
      />
    </>
  );
}

/** A first day before anything was posted: balances count from the beginning. */
export const BEGINNING = '2000-01-01';

/** A figure that leads to the entries that make it up. */
export function ToEntries({ of, children }: { readonly of: Search; readonly children: string }) {
  return (
    <Link to="/ledger" search={{ ...of }} hash="statement" className="row-link">
      {children}
    </Link>
  );
}
