import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import type { Returned } from '../services/provider-return.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useNewSession } from '../services/use-new-session.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { entranceWords } from '../words/entrance.ts';

/** The sign-in with the accounts of an institution, where one is configured. */
export function ProviderSignIn() {
  const { leader, providerReturn } = useServices();
  const [returned] = useState(providerReturn.take);
  const provider = useQuery({
    queryKey: queryKeys.identityProvider,
    queryFn: ({ signal }) => leader.getIdentityProvider({ signal }),
  });
  const begin = useMutation({
    mutationFn: () => leader.startOidcSignIn(),
    onSuccess: providerReturn.leave,
  });
  const end = useNewSession((body: Returned) => leader.signInWithOidc({ body }));
  const { mutate } = end;
  useEffect(() => {
    if (returned !== null) mutate(returned);
  }, [returned, mutate]);
  const name = provider.data?.name ?? null;
  const error = end.error ?? begin.error;
  if (name === null && error === null) return null;
  return (
    <>
      {name !== null && (
        <Button variant="default" loading={begin.isPending || end.isPending} onClick={() => begin.mutate()}>
          {entranceWords.signInWith(name)}
        </Button>
      )}
      {error && <ProblemAlert error={error} />}
    </>
  );
}
