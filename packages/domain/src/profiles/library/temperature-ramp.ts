export const temperatureRamp = `# Temperature ramp: the culture is heated in steps from a first to a last temperature, and its growth rate is measured at each.
#
# Adapt:    first_c, step_c, last_c (above room temperature; the thermostat cannot cool). One step lasts two hours: 'every'.
# Needs:    no pumps. A culture that stays in exponential growth for the length of the ramp, else dilute it by a turbidostat.
# Measures: OD, growth rate, temperature. The event log has temperature and growth rate at the end of each step.
experiment_profile_name: temperature ramp
version: "1.0"
metadata:
  author: Leader Control Service
  description: Heats a culture in steps, and logs the growth rate at each temperature.
inputs: {stir_rpm: 500, first_c: 28, step_c: 2, last_c: 42}
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
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ first_c }}"}}
        - type: repeat
          t: 2h
          every: 2h
          while: ::temperature_automation:target_temperature < last_c
          max_time: 1d
          actions:
            - type: update
              t: 0s
              options: {target_temperature: "\${{ min(::temperature_automation:target_temperature + step_c, last_c) }}"}
            - type: log
              t: 119m
              options:
                message: "\${{ unit() }} at \${{ ::temperature_automation:temperature.temperature }} C grows by \${{ ::growth_rate_calculating:growth_rate.growth_rate }} per hour."
        - {type: update, t: 26h, options: {target_temperature: "\${{ first_c }}"}}
`;
