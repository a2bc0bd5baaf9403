import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyRequest, preHandlerAsyncHookHandler, RouteOptions } from 'fastify'
import { errors, type FaultTree } from '../errors.ts'
import { isKeepable } from '../keepable.ts'
import { canonicalTimestamp } from '../resources/timestamp.ts'

/** What is wrong with a body, and where: the names and indices that lead to it. */
export interface BodyFault {
  at: string[]
  message: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Finds what the schema of the body cannot say. The body is an object or a list, but need not keep to its schema. */
    alsoCheck?: (body: object) => BodyFault[]
    /** Finds what the schema of the query cannot say: messages by parameter. The query need not keep to its schema. */
    alsoCheckQuery?: (request: FastifyRequest) => Record<string, string[]>
  }
}

/** Where in a request a value stands, in the words of the answer. */
export type Location = 'json' | 'query' | 'path' | 'headers'

type Check = (request: FastifyRequest) => FaultTree | string[] | null

/**
 * Makes the one check of a route out of its schemas. All faults of all parts are told at once; texts of path and
 * query are turned into what their schema asks for.
 */
export function validator(route: RouteOptions): preHandlerAsyncHookHandler {
  const { body, params, querystring, headers } = (route.schema ?? {}) as Record<string, object | undefined>
  const optionalBody = body !== undefined && 'default' in body
  const checks: [Location, Check][] = []
  const validate = compile(bodies, body ?? noMore, route.config?.alsoCheck)
  const mayBeLeftOut = body === undefined || optionalBody
  checks.push(['json', (request) => (request.body === undefined && mayBeLeftOut ? null : validate(request.body))])
  if (params) checks.push(['path', part(compile(texts, params), (request) => request.params)])
  if (headers) checks.push(['headers', part(compile(texts, headers), (request) => request.headers)])
  const checkQuery = compile(texts, { ...noMore, ...querystring })
  const alsoCheckQuery = route.config?.alsoCheckQuery ?? (() => ({}))
  checks.push(['query', (request) => merged(checkQuery(request.query), alsoCheckQuery(request))])
  return async (request) => {
    if (optionalBody && request.body === undefined) request.body = {}
    const detail: FaultTree = {}
    for (const [location, check] of checks) {
      const faults = check(request)
      if (faults) detail[location] = faults
    }
    if (Object.keys(detail).length > 0) throw errors.validation(detail)
  }
}

function merged(found: FaultTree | null, more: Record<string, string[]>): FaultTree | null {
  const all = Object.entries(more).flatMap(([name, messages]) => messages.map((message) => [name, message] as const))
  if (all.length === 0) return found
  const tree = found ?? emptyTree()
  for (const [name, message] of all) addFault(tree, [name], message)
  return tree
}

/**
 * Checks values against a JSON Schema outside of a route.
 * @returns null, or the messages nested like the value
 */
export function compileCheck(schema: object): (value: unknown) => FaultTree | null {
  return compile(bodies, schema)
}

const part =
  (validate: (value: unknown) => FaultTree | null, pick: (request: FastifyRequest) => unknown): Check =>
  (request) =>
    validate(pick(request))

/** How values are checked: with all their faults, and up to the first one. */
function dialect(how: Options): { every: Ajv; first: Ajv } {
  const [every, first] = [true, false].map((allErrors) =>
    addFormats.default(new Ajv({ strict: false, verbose: true, allErrors, ...how })),
  ) as [Ajv, Ajv]
  // a leap second or a day without zone is no instant we can keep
  for (const ajv of [every, first]) ajv.addFormat('date-time', { type: 'string', validate: isInstant })
  return { every, first }
}

const bodies = dialect({ useDefaults: false })
const texts = dialect({ coerceTypes: true, useDefaults: true })

/** What a route does not declare is a fault. */
const noMore = { type: 'object', additionalProperties: false }

/** Compiled when first needed: most processes never see most routes. */
function compile(
  { every, first }: typeof bodies,
  schema: object,
  alsoCheck: (value: object) => BodyFault[] = () => [],
) {
  const all = faultFinder(every, schema)
  const one = faultFinder(first, schema)
  return (value: unknown): FaultTree | null => {
    const tree = emptyTree()
    const { size, faults } = survey(value)
    for (const [path, message] of faults) addFault(tree, path, message)
    const find = size > enormous ? one : all
    for (const fault of find(value)) addFault(tree, pathOf(fault), messageOf(fault))
    if (typeof value === 'object' && value !== null) {
      for (const { at, message } of alsoCheck(value).slice(0, mostFaults)) addFault(tree, at, message)
    }
    return Object.keys(tree).length > 0 ? tree : null
  }
}

function faultFinder(ajv: Ajv, schema: object): (value: unknown) => ErrorObject[] {
  let compiled: ValidateFunction | undefined
  return (value) => {
    compiled ??= ajv.compile(schema)
    if (compiled(value)) return []
    const faults = compiled.errors!.slice(0, mostFaults)
    // they hold the whole value, until the next is checked
    compiled.errors = null
    return faults
  }
}

function pathOf(fault: ErrorObject): string[] {
  const path = fault.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const { missingProperty, additionalProperty, unevaluatedProperty } = fault.params
  const named = missingProperty ?? additionalProperty ?? unevaluatedProperty
  return named === undefined ? path : [...path, String(named)]
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'This field is required.'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'Unknown field.'
    case 'type': {
      const wanted = [params.type].flat().filter((type) => type !== 'null')
      return `Must be ${wanted.map((type) => typeNames[type as keyof typeof typeNames]).join(' or ')}.`
    }
    case 'enum':
      return `Must be one of: ${params.allowedValues.filter((value: unknown) => value !== null).join(', ')}.`
    case 'const':
      return `Must be ${JSON.stringify(params.allowedValue)}.`
    case 'format':
      return formatMessages[params.format as keyof typeof formatMessages] ?? `Must be a valid ${params.format}.`
    case 'minLength':
      return params.limit === 1 ? 'May not be empty.' : `Must have at least ${params.limit} characters.`
    case 'maxLength':
      return `May have at most ${params.limit} characters.`
    case 'minItems':
      return `Must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}.`
    case 'maxItems':
      return `May have at most ${params.limit} items.`
    case 'minimum':
      return `Must be at least ${params.limit}.`
    case 'maximum':
      return `Must be at most ${params.limit}.`
    case 'minProperties':
      return parentSchema?.maxProperties === 1 ? 'Must have exactly one pair.' : 'Give at least one field.'
    default:
      return parentSchema?.errorMessage ?? `${message!.charAt(0).toUpperCase()}${message!.slice(1)}.`
  }
}

const typeNames = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

const formatMessages = {
  'date-time': 'Must be an ISO 8601 timestamp with offset, for example 2026-11-20T08:15:30Z.',
  email: 'Must be an e-mail address.',
  uri: 'Must be an address (URI).',
  uuid: 'Must be a UUID.',
}

/** Without a prototype: a field may have any name. */
const emptyTree = (): FaultTree => Object.create(null)

/** Puts a message where it belongs. A fault of a whole object stands under `_schema`. */
export function addFault(tree: FaultTree, path: string[], message: string): void {
  const [step = '_schema', ...rest] = path
  const there = tree[step]
  if (rest.length > 0) {
    const branch = Array.isArray(there) ? { _schema: there } : (there ?? emptyTree())
    tree[step] = branch
    addFault(branch, rest, message)
  } else if (there === undefined) {
    tree[step] = [message]
  } else if (!Array.isArray(there)) {
    addFault(there, [], message)
  } else if (!there.includes(message)) {
    there.push(message)
  }
}

/**
 * Every text must be one that can be kept, and whatever walks a value must come to its end.
 * @returns how many values there are in it, and what cannot be kept
 */
function survey(value: unknown): { size: number; faults: [path: string[], message: string][] } {
  const faults: [string[], string][] = []
  let size = 0
  const fault = (path: string[], message: string) => void (faults.length < mostFaults && faults.push([path, message]))
  function walk(value: unknown, path: string[]) {
    size++
    if (typeof value === 'string') {
      if (!isKeepable(value)) fault(path, 'Contains characters that are not valid Unicode text.')
    } else if (typeof value === 'object' && value !== null) {
      if (path.length === deepest) return fault(path.slice(0, 1), `Is nested deeper than ${deepest} levels.`)
      for (const [key, inner] of Object.entries(value)) {
        if (isKeepable(key)) walk(inner, [...path, key])
        else fault(path, 'Has a name with characters that are not valid Unicode text.')
      }
    }
  }
  walk(value, [])
  return { size, faults }
}

const deepest = 64
/** A megabyte of faulty items is not answered with many. */
const mostFaults = 1000
/** Finding every fault among so many values takes long. The bodies that routes take are far smaller. */
const enormous = 50_000

/** ISO 8601 with date, time and offset, naming an instant that PostgreSQL can keep. */
export function isInstant(value: string): boolean {
  return instant.test(value) && canonicalTimestamp(value) !== null
}

const instant = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-](0\d|1[0-5]):?\d\d)$/
