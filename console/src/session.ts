import { useQuery } from '@tanstack/react-query';
import { type OperatorView } from '../../src/operators/session.view.js';
import { api } from './api.js';

export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: () => api<OperatorView>('GET', 'session'),
    refetchInterval: 30_000,
    retry: false,
  });
}

const roles = ['viewer', 'finance', 'operator', 'approver', 'admin'];

/** Whether the operator who is signed in may do what takes this role. The service decides it again. */
export function useMay(needed: 'finance' | 'operator' | 'approver' | 'admin'): boolean {
  const { data } = useSession();
  return data !== undefined && roles.indexOf(data.role) >= roles.indexOf(needed);
}
