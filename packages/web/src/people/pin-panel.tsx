import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { usePeople } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';

const fields: readonly FieldDescriptor[] = [
  { kind: 'secret', name: 'password', label: peopleWords.yourPassword, isRequired: true, isFirst: true },
  { kind: 'secret', name: 'pin', label: commonWords.pin, hint: peopleWords.pinHint, isRequired: true },
  { kind: 'secret', name: 'repeated', label: peopleWords.pinAgain, isRequired: true },
];

function PinForm({ onClose }: { readonly onClose: () => void }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: ({ password, pin }: { readonly password: string; readonly pin: string }) =>
      leader.setPin({ body: { password, pin } }),
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries({ queryKey: queryKeys.people });
    },
  });
  const state = useRequestForm(save, {
    initialValues: { password: '', pin: '', repeated: '' },
    validate: { repeated: (repeated, { pin }) => (repeated === pin ? null : peopleWords.differsFromPin) },
  });
  return <FormDialog {...{ state, fields, onClose }} title={peopleWords.setYourPin} action={peopleWords.setThePin} />;
}

/** The own PIN: with it a person acts at a shared tablet. */
export function PinPanel({ name }: { readonly name: string }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { data } = usePeople();
  const [isSetting, setSetting] = useState(false);
  const remove = useMutation({
    mutationFn: () => leader.deletePin(),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.people }),
  });
  const hasPin = data?.find((person) => person.name === name)?.has_pin === true;
  return (
    <Panel
      title={peopleWords.pinForSharedTablets}
      aside={
        <Group gap="xs">
          {hasPin && (
            <Button size="xs" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
              {peopleWords.deletePin}
            </Button>
          )}
          <Button size="xs" onClick={() => setSetting(true)}>
            {hasPin ? peopleWords.changePin : peopleWords.setAPin}
          </Button>
        </Group>
      }
    >
      {isSetting && <PinForm onClose={() => setSetting(false)} />}
      {remove.error && <ProblemAlert error={remove.error} />}
      <Text size="sm" c="dimmed">
        {peopleWords.pinHelp(hasPin)}
      </Text>
    </Panel>
  );
}
