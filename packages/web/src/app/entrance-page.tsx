import type { SignIn } from '@lcs/contract';
import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { askForPasskey, canUsePasskeys } from '../people/passkey-browser.ts';
import { useServices } from '../services/services.tsx';
import { useNewSession } from '../services/use-new-session.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { entranceWords } from '../words/entrance.ts';
import { ProviderSignIn } from './provider-sign-in.tsx';
import { SetUpPage } from './set-up-page.tsx';
import styles from './sign-in-gate.module.css';

/** The sign-in with a passkey, where the browser has them. */
function PasskeySignInButton() {
  const { leader } = useServices();
  const signIn = useNewSession(async () => {
    const credential = await askForPasskey(await leader.startPasskeySignIn());
    return leader.signInWithPasskey({ body: { credential } });
  });
  if (!canUsePasskeys()) return null;
  return (
    <>
      <Button variant="default" loading={signIn.isPending} onClick={() => signIn.mutate(undefined)}>
        {entranceWords.signInWithPasskey}
      </Button>
      {signIn.error && <ProblemAlert error={signIn.error} />}
    </>
  );
}

/** The page that is shown instead of all others until somebody has signed in. */
function SignInPage() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { leader } = useServices();
  const signIn = useNewSession((body: SignIn) => leader.signIn({ body }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate({ name: name.trim(), password });
  };
  return (
    <main className={styles.page}>
      <title>{commonWords.pageTitle(entranceWords.signIn)}</title>
      <Paper withBorder p="lg" className={styles.card}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <Title order={1} size="h3">
              {entranceWords.signInHeading}
            </Title>
            <TextInput
              label={commonWords.name}
              value={name}
              required
              autoFocus
              autoComplete="username"
              autoCapitalize="none"
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <PasswordInput
              label={commonWords.password}
              value={password}
              required
              autoComplete="current-password"
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {signIn.error && <ProblemAlert error={signIn.error} />}
            <Button type="submit" loading={signIn.isPending}>
              {entranceWords.signIn}
            </Button>
            <PasskeySignInButton />
            <ProviderSignIn />
            <Text size="sm" c="dimmed">
              {entranceWords.signInHelp(<code>{entranceWords.lcsPeople}</code>)}
            </Text>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}

/** The set-up of a leader without people, otherwise the sign-in. */
export default function EntrancePage() {
  const { leader } = useServices();
  const state = useQuery({ queryKey: queryKeys.setUp, queryFn: ({ signal }) => leader.getSetUp({ signal }) });
  if (state.isPending) return null;
  return state.data?.is_needed ? <SetUpPage /> : <SignInPage />;
}
