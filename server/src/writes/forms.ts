import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'

/** Lets the routes of a scope take forms: their fields become the body, a file its base64 under its field's name. */
export async function acceptForms(scope: App): Promise<void> {
  await scope.register(multipart, {
    attachFieldsToBody: 'keyValues',
    limits: { fileSize: largestFile, files: 1, fields: 20, fieldSize: 100_000 },
    async onFile(part) {
      const content = await part.toBuffer()
      names.set(this as FastifyRequest, part.filename)
      Object.assign(part, { value: content.toString('base64') })
    },
  })
  scope.addHook('preHandler', async (request) => {
    const body = request.body as Record<string, unknown> | undefined
    const name = names.get(request)
    if (body && name) body.file_name ??= name
  })
  const answer = scope.errorHandler
  scope.setErrorHandler((error, request, reply) => {
    const { code = '' } = error as { code?: string }
    const told = code === 'FST_REQ_FILE_TOO_LARGE' ? errors.fileTooLarge() : forms.test(code) ? malformed() : error
    return answer(told as never, request, reply)
  })
}

const largestFile = 20 * 1024 * 1024
/** File names as they were uploaded. */
const names = new WeakMap<FastifyRequest, string>()

/** What the form's reader refuses. */
const forms = /^FST_(FILES|FIELDS|PARTS)_LIMIT|^FST_PROTO_VIOLATION|^FST_INVALID_MULTIPART|^FST_INVALID_JSON_FIELD/
const malformed = () => errors.badRequest('The form cannot be read')
