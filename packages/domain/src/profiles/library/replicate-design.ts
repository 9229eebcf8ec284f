export const replicateDesign = `# Replicate design: two treatments with two replicates each; every unit has a label and its own temperature.
#
# Adapt:    the names of the units below 'reactors' (as on the page of the cluster), their labels, and control_c and treated_c.
#           Units that are not assigned to the experiment are left out, with a warning. Distribute the replicates over the bench.
# Needs:    four units. No pumps. An OD calibration on each, because densities are compared between units.
# Measures: OD, growth rate, temperature. Charts and exports show the labels.
experiment_profile_name: replicate design
version: "1.0"
metadata:
  author: Leader Control Service
  description: Two temperatures with two labelled replicates each.
inputs: {stir_rpm: 500, control_c: 30, treated_c: 37}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
reactors:
  unit1:
    label: control 1
    jobs: &control
      temperature_automation:
        actions:
          - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ control_c }}"}}
  unit2:
    label: treated 1
    jobs: &treated
      temperature_automation:
        actions:
          - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ treated_c }}"}}
  unit3: {label: treated 2, jobs: *treated}
  unit4: {label: control 2, jobs: *control}
`;
