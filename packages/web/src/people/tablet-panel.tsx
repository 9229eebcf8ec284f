import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type FieldDescriptor, FormFields, useFormValues } from '../forms/form-field.tsx';
import { useServices } from '../services/services.tsx';
import { useNewSession } from '../services/use-new-session.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

const nameField: FieldDescriptor = {
  kind: 'text',
  name: 'name',
  label: 'Name of the tablet',
  hint: 'Such as its place: the list of sessions and the audit show it',
  isRequired: true,
  isFirst: true,
  maxLength: 60,
};

function TabletForm({ onClose }: { readonly onClose: () => void }) {
  const { leader } = useServices();
  const { values, set } = useFormValues(() => ({ name: '' }));
  const start = useNewSession(() => leader.startTablet({ body: { name: String(values.name).trim() } }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate(undefined);
  };
  return (
    <Dialog isOpen onClose={onClose} title="Make this device a shared tablet" closesOutside={false}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">
            You are signed out here. From then on this device shows everything, and asks for name and PIN before each
            action. You end it in the list of sessions.
          </Text>
          <FormFields fields={[nameField]} values={values} faults={{}} onChange={set} />
          {start.error && <ProblemAlert error={start.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={start.isPending}>
              Make it a shared tablet
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Makes this device one that people share. */
export function TabletPanel() {
  const [isStarting, setStarting] = useState(false);
  return (
    <Panel
      title="Shared tablet"
      aside={
        <Button size="xs" variant="default" onClick={() => setStarting(true)}>
          Use this device…
        </Button>
      }
    >
      {isStarting && <TabletForm onClose={() => setStarting(false)} />}
      <Text size="sm" c="dimmed">
        For a device that stays in the laboratory: it shows everything, and people act at it with their PIN, as
        operators at most.
      </Text>
    </Panel>
  );
}
