import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'

/** Lets the routes of a scope take forms, and nothing else: their fields become the body, `file` its base64. */
export async function acceptForms(scope: App): Promise<void> {
  const reading = new WeakSet<FastifyRequest>()
  scope.removeAllContentTypeParsers()
  scope.addHook('preValidation', async (request) => void reading.add(request))
  await scope.register(multipart, {
    attachFieldsToBody: 'keyValues',
    limits: { fileSize: largestFile, files: 1, fields: 20, fieldSize: 100_000 },
    async onFile(part) {
      const content = await part.toBuffer()
      names.set(this as FastifyRequest, part.filename)
      Object.assign(part, { value: content.toString('base64') })
    },
  })
  scope.addHook('preValidation', async (request) => void reading.delete(request))
  scope.addHook('preHandler', async (request) => {
    const body = request.body as Record<string, unknown> | undefined
    if (body?.file !== undefined && !names.has(request))
      throw errors.validation({ json: { file: ['Must be a file.'] } })
    const name = names.get(request)
    if (body && name) body.file_name ??= name
  })
  const answer = scope.errorHandler
  scope.setErrorHandler((error, request, reply) => {
    return answer(told(error as { code?: string }, reading.has(request)) as never, request, reply)
  })
}

const largestFile = 20 * 1024 * 1024
/** File names as they were uploaded. */
const names = new WeakMap<FastifyRequest, string | undefined>()

function told(error: { code?: string }, reading: boolean) {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return errors.unsupportedMediaType('multipart/form-data')
  if (error.code === 'FST_REQ_FILE_TOO_LARGE') return errors.fileTooLarge()
  return reading ? errors.badRequest('The form cannot be read') : error
}
