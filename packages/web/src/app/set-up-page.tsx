import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useRequestForm } from '../forms/request-form.tsx';
import { adoptSession } from '../services/adopt-session.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { entranceWords } from '../words/entrance.ts';
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
    mutationFn: async ({ code, name: entered, password }: FirstPerson) => {
      const name = entered.trim();
      await leader.createFirstPerson({ body: { code, name, password } });
      return leader.signIn({ body: { name, password } });
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
  const setUp = useSetUp();
  const { form, submit, problem } = useRequestForm(setUp, {
    initialValues: { code: '', name: '', password: '', repeated: '' },
    validate: {
      repeated: (repeated, { password }) => (repeated === password ? null : entranceWords.twoPasswordsDiffer),
    },
  });
  return (
    <main className={styles.page}>
      <title>{commonWords.pageTitle(commonWords.setUp)}</title>
      <Paper withBorder p="lg" className={styles.card}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <Title order={1} size="h3">
              {entranceWords.setUpThisLeader}
            </Title>
            <Text size="sm" c="dimmed">
              {entranceWords.setUpHelp}
            </Text>
            <TextInput
              label={entranceWords.codeOfLeader}
              placeholder={entranceWords.codeExample}
              required
              autoFocus
              autoComplete="off"
              {...form.getInputProps('code')}
            />
            <TextInput
              label={entranceWords.nameForSignIn}
              required
              autoComplete="username"
              autoCapitalize="none"
              {...form.getInputProps('name')}
            />
            <PasswordInput
              label={commonWords.password}
              description={entranceWords.passwordHelp}
              required
              autoComplete="new-password"
              {...form.getInputProps('password')}
            />
            <PasswordInput
              label={entranceWords.samePasswordAgain}
              required
              autoComplete="new-password"
              {...form.getInputProps('repeated')}
            />
            {problem !== null && <ProblemAlert error={problem} />}
            <Button type="submit" loading={setUp.isPending}>
              {entranceWords.createAccount}
            </Button>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
