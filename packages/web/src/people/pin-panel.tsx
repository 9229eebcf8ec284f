import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import { type FieldDescriptor, FormFields, useFormValues } from '../forms/form-field.tsx';
import { usePeople } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

const fields: readonly FieldDescriptor[] = [
  { kind: 'secret', name: 'password', label: 'Your password', isRequired: true, isFirst: true },
  { kind: 'secret', name: 'pin', label: 'PIN', hint: '4 to 8 digits', isRequired: true },
  { kind: 'secret', name: 'repeated', label: 'PIN again', isRequired: true },
];

function PinForm({ onClose }: { readonly onClose: () => void }) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { values, set } = useFormValues(() => ({ password: '', pin: '', repeated: '' }));
  const save = useMutation({
    mutationFn: () => leader.setPin({ body: { password: String(values.password), pin: String(values.pin) } }),
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries({ queryKey: queryKeys.people });
    },
  });
  const differs = values.repeated !== '' && values.repeated !== values.pin;
  const faults = fieldFaults(save.error, ['pin']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (values.repeated === values.pin) save.mutate();
  };
  return (
    <Dialog isOpen onClose={onClose} title="Set your PIN" closesOutside={false}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <FormFields
            fields={fields}
            values={values}
            faults={{ ...faults, repeated: differs ? 'Differs from the PIN.' : null }}
            onChange={set}
          />
          {save.error && Object.keys(faults).length === 0 && <ProblemAlert error={save.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Set the PIN
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
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
      title="PIN for shared tablets"
      aside={
        <Group gap="xs">
          {hasPin && (
            <Button size="xs" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete the PIN
            </Button>
          )}
          <Button size="xs" onClick={() => setSetting(true)}>
            {hasPin ? 'Change the PIN' : 'Set a PIN'}
          </Button>
        </Group>
      }
    >
      {isSetting && <PinForm onClose={() => setSetting(false)} />}
      {remove.error && <ProblemAlert error={remove.error} />}
      <Text size="sm" c="dimmed">
        {hasPin ? 'You have a PIN.' : 'You have no PIN.'} With it you run experiments at a shared tablet of the
        laboratory, in your name. It works nowhere else.
      </Text>
    </Panel>
  );
}
