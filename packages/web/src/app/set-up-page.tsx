import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { adoptSession } from '../services/adopt-session.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './sign-in-gate.module.css';

interface FirstPerson {
  readonly code: string;
  readonly name: string;
  readonly password: string;
}

/** Creates the first person and signs in as this person. */
function useSetUp() {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (person: FirstPerson) => {
      await leader.createFirstPerson({ body: person });
      return leader.signIn({ body: { name: person.name, password: person.password } });
    },
    onSuccess: async (session) => {
      await adoptSession(cache, session);
      cache.setQueryData(queryKeys.setUp, { is_needed: false });
    },
    // Somebody else may have been faster.
    onError: () => cache.invalidateQueries({ queryKey: queryKeys.setUp }),
  });
}

/** The only page of a leader on a network until its first person exists. */
export function SetUpPage() {
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const setUp = useSetUp();
  const isRepeated = repeated === '' || repeated === password;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (repeated === password) setUp.mutate({ code, name: name.trim(), password });
  };
  return (
    <main className={styles.page}>
      <title>Set up – Leader Control Service</title>
      <Paper withBorder p="lg" className={styles.card}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <Title order={1} size="h3">
              Set up this leader
            </Title>
            <Text size="sm" c="dimmed">
              Create the first account, an administrator. The code is in the terminal and the log of the leader.
            </Text>
            <TextInput
              label="Code of the leader"
              placeholder="ABCD-EFGH"
              value={code}
              required
              autoFocus
              autoComplete="off"
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <TextInput
              label="Your name, for the sign-in"
              value={name}
              required
              autoComplete="username"
              autoCapitalize="none"
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              description="12 characters or more; a few words that only you know are good"
              value={password}
              required
              autoComplete="new-password"
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <PasswordInput
              label="The same password again"
              value={repeated}
              required
              autoComplete="new-password"
              error={isRepeated ? undefined : 'The two passwords differ.'}
              onChange={(event) => setRepeated(event.currentTarget.value)}
            />
            {setUp.error && <ProblemAlert error={setUp.error} />}
            <Button type="submit" loading={setUp.isPending}>
              Create the account
            </Button>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
