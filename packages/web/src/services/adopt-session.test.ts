import type { Session } from '@lcs/contract';
import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { queryKeys } from '../api/query-keys.ts';
import { adoptSession } from './adopt-session.ts';

const sessionOf = (kind: Session['kind'], name: string): Session => ({
  kind,
  name,
  role: null,
  permissions: [],
  csrf_token: null,
  expires_at: null,
  tablet: null,
});

it('keeps a new session although the last one is being read, and forgets what was read with the last one', async () => {
  const cache = new QueryClient();
  const late = Promise.withResolvers<Session>();
  const read = cache.fetchQuery({ queryKey: queryKeys.session, queryFn: () => late.promise });
  const ended = expect(read).rejects.toThrow();
  cache.setQueryData(queryKeys.people, []);
  await adoptSession(cache, sessionOf('tablet', 'bench 2'));
  late.resolve(sessionOf('anonymous', ''));
  await ended;
  await late.promise;
  expect(cache.getQueryData(queryKeys.session)?.name).toBe('bench 2');
  expect(cache.getQueryData(queryKeys.people)).toBeUndefined();
  cache.clear();
});
