import type { Person } from '@lcs/contract';
import { Button, PasswordInput, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { usePeople } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { entranceWords } from '../words/entrance.ts';

/** The PIN ends a little earlier here than at the leader. */
const validMs = 58_000;

interface PeopleChoiceProps {
  readonly people: readonly Person[];
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
}

/** Large buttons: a tablet is used with gloves. */
const PeopleChoice = ({ people, chosen, onChoose }: PeopleChoiceProps) => (
  <SimpleGrid cols={2} spacing="xs" role="group" aria-label={entranceWords.whoAreYou}>
    {people.map(({ name, display_name }) => (
      <Button
        key={name}
        size="md"
        variant={name === chosen ? 'filled' : 'default'}
        aria-pressed={name === chosen}
        onClick={() => onChoose(name)}
      >
        {display_name}
      </Button>
    ))}
  </SimpleGrid>
);

/** Who acts, with their PIN. */
export default function PinForm({ onClose }: { readonly onClose: () => void }) {
  const { leader, pinPrompt, clock } = useServices();
  const { data, error } = usePeople();
  const people = data?.filter(({ has_pin, is_disabled, role }) => has_pin && !is_disabled && role !== 'viewer');
  const [name, choose] = useState<string | null>(null);
  const [pin, setPin] = useState('');
  const chosen = name ?? (people?.length === 1 ? (people[0]?.name ?? null) : null);
  const enter = useMutation({
    mutationFn: (who: string) => leader.enterPin({ body: { name: who, pin } }),
    onSuccess: (session) => {
      pinPrompt.begin({
        name: session.name,
        csrfToken: session.csrf_token ?? '',
        endsMs: clock.now() + validMs,
      });
    },
    onError: () => setPin(''),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen !== null) enter.mutate(chosen);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isDirty={pin !== '' && !enter.isPending}
      title={entranceWords.whoAreYou}
      closesOutside={false}
      isOnTop
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {error && <ProblemAlert error={error} />}
          {!people && !error && <Skeleton height={90} role="status" aria-label={commonWords.loadingPeople} />}
          {people?.length === 0 && <Text size="sm">{entranceWords.nobodyHasPin}</Text>}
          {people && people.length > 0 && (
            <>
              <PeopleChoice people={people} chosen={chosen} onChoose={choose} />
              <PasswordInput
                label={commonWords.pin}
                size="md"
                value={pin}
                required
                inputMode="numeric"
                autoComplete="off"
                maxLength={8}
                data-autofocus
                onChange={(event) => setPin(event.currentTarget.value)}
              />
              <Text size="sm" c="dimmed">
                {entranceWords.actsInYourName}
              </Text>
            </>
          )}
          {enter.error && <ProblemAlert error={enter.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {commonWords.cancel}
            </Button>
            <Button type="submit" disabled={chosen === null || pin.length < 4} loading={enter.isPending}>
              {commonWords.continue}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
